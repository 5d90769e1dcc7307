// The Kubernetes resource provider of the Pulumi engine.
//
// The provider's own main package embeds files that its release process generates. This one embeds
// the ones that stand in the same module; the build lays them beside this file (go build -overlay).
package main

import (
	_ "embed"

	"github.com/pulumi/pulumi-kubernetes/provider/v4/pkg/provider"
)

// The release that this revision of the module behaves like.
const version = "4.25.0"

//go:embed schema.json
var schema []byte

//go:embed terraform-mapping.json
var terraformMapping []byte

func main() {
	provider.Serve("kubernetes", version, schema, terraformMapping)
}
