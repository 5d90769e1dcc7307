package main

import (
	_ "embed"

	"github.com/pulumi/pulumi-kubernetes/provider/v4/pkg/provider"
)

func main() { provider.Serve("kubernetes", "", nil, nil) }
