"""Environments as files: read into checked settings, and deployed layer by layer.

- `stacks/Pulumi.<environment>.yaml`: everything that differs between environments.
- `stacks.settings.model`: the sections and keys of a stack file.

- `stacks.settings.load`: reads a stack file and reports all errors at once.
- `stacks.settings.resolve`: applies mirrors, builds the runtimes and runs all checks.

- `stacks.deploy`: declares the layers.
"""
