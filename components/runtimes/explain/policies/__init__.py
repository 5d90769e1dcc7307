"""The plugins of Trainer that enforce a runtime's `mlPolicy`: pkg/runtime/framework/plugins of Trainer v2.0.0, v2.2.0
and v2.3.0. A module for each plugin."""
