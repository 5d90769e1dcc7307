"""Environments as files, read into checked settings, deployed layer by layer.

- `stacks/Pulumi.<environment>.yaml`: what differs between environments, and nothing else anywhere.
- `stacks.settings.model`: what it may say, and what must hold across its sections.
- `stacks.settings.load`: reads it; everything that is wrong with it is said at once.
- `stacks.deploy`: which layers exist, in which order, on which cluster.
"""
