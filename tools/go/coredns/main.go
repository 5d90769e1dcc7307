// CoreDNS with what a cluster's names need, and nothing of the clouds' SDKs that its usual main brings.
package main

import (
	"github.com/coredns/coredns/core/dnsserver"
	"github.com/coredns/coredns/coremain"
	_ "github.com/coredns/coredns/plugin/bind"
	_ "github.com/coredns/coredns/plugin/errors"
	_ "github.com/coredns/coredns/plugin/kubernetes"
	_ "github.com/coredns/coredns/plugin/template"
)

// A query goes through the plugins in this order.
func init() { dnsserver.Directives = []string{"bind", "errors", "template", "kubernetes"} }

func main() { coremain.Run() }
