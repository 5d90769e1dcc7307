"""The Pulumi program: load the stack's settings, deploy them, export what others need."""

import pulumi

from stacks.settings import Settings
from stacks.training_platform import deploy

for name, value in deploy(Settings.from_config()).items():
    pulumi.export(name, value)
