module training-platform/tools/lws

go 1.26.0

// Trainer's chart bundles the chart of LeaderWorkerSet, which its module holds.
require sigs.k8s.io/lws v0.8.0
