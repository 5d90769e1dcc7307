"""What the TrainJobs of the tests run. The SDK sends a function's source, so each imports what it needs itself."""

SAY_RANK = "import os, socket; print('rank', os.environ['OMPI_COMM_WORLD_RANK'], 'host', socket.gethostname(), 'at 0')"
"""What each process prints where the command is the runtime's own."""


def say_rank() -> None:
    """Each process says who and where it is, and when it began."""
    import os
    import socket
    import time

    print(f"rank {os.environ['OMPI_COMM_WORLD_RANK']} host {socket.gethostname()} at {time.time():.3f}", flush=True)


def sum_up() -> None:
    """An allreduce: each rank ends with the sum of what all ranks began with."""
    import socket

    from mpi4py import MPI

    world = MPI.COMM_WORLD
    total = world.allreduce(10**world.rank)
    print(f"rank {world.rank} host {socket.gethostname()} at 0 sum {total}", flush=True)


def write_checkpoint() -> None:
    """Each rank writes its part of one file on the shared volume, and reads the whole when all have."""
    import socket

    from mpi4py import MPI

    world = MPI.COMM_WORLD
    part = f"{world.rank} {socket.gethostname():60}\n".encode()
    file = MPI.File.Open(world, "/checkpoints/step-1", MPI.MODE_CREATE | MPI.MODE_RDWR)
    file.Write_at_all(world.rank * len(part), part)
    file.Sync()
    world.Barrier()
    whole = bytearray(len(part) * world.size)
    file.Read_at_all(0, whole)
    file.Close()
    print(f"rank {world.rank} host {socket.gethostname()} at 0 read {len(whole.split())}", flush=True)


def train_with_mlx() -> None:
    """A small model learns the sum of its inputs. Each rank has data of its own; gradients and losses are averaged."""
    import socket

    import mlx.core as mx
    from mlx import nn, optimizers

    world = mx.distributed.init(backend="mpi", strict=True)
    mx.random.seed(0)
    model = nn.Sequential(nn.Linear(8, 32), nn.Tanh(), nn.Linear(32, 1))
    mx.eval(model.parameters())
    mx.random.seed(1 + world.rank())
    inputs = mx.random.normal((32, 8))
    wanted = inputs.sum(axis=1, keepdims=True)
    loss_and_gradients = nn.value_and_grad(model, lambda it: nn.losses.mse_loss(it(inputs), wanted))
    optimizer = optimizers.Adam(learning_rate=0.01)
    losses = []
    for _ in range(20):
        loss, gradients = loss_and_gradients(model)
        optimizer.update(model, nn.average_gradients(gradients))
        mx.eval(model.parameters(), optimizer.state)
        losses.append(mx.distributed.all_sum(loss).item() / world.size())
    print(f"rank {world.rank()} host {socket.gethostname()} at 0 by MLX on {world.size()}: losses {losses}", flush=True)


def train_with_deepspeed() -> None:
    """The same with DeepSpeed: mpirun starts the ranks, as in upstream's example, and ZeRO 1 splits Adam's state."""
    import os
    import socket

    os.environ["USE_LIBUV"] = "0"  # Debian's PyTorch is built without it
    import deepspeed
    import torch

    # DeepSpeed would compile it at the start with a C++ compiler, which the image has not; gloo carries everything.
    deepspeed.ops.__compatible_ops__["deepspeed_shm_comm"] = False
    deepspeed.init_distributed(dist_backend="gloo")
    rank, size = torch.distributed.get_rank(), torch.distributed.get_world_size()
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(8, 32), torch.nn.Tanh(), torch.nn.Linear(32, 1))
    engine, optimizer, _, _ = deepspeed.initialize(
        model=model,
        optimizer=torch.optim.Adam(model.parameters(), lr=0.01),
        config={
            "train_micro_batch_size_per_gpu": 32,
            "zero_optimization": {"stage": 1},
            "zero_allow_untested_optimizer": True,
        },
    )
    torch.manual_seed(1 + rank)
    inputs = torch.randn(32, 8)
    wanted = inputs.sum(dim=1, keepdim=True)
    losses = []
    for _ in range(20):
        loss = torch.nn.functional.mse_loss(engine(inputs), wanted)
        engine.backward(loss)
        engine.step()
        mean = loss.detach().clone()
        torch.distributed.all_reduce(mean)
        losses.append(mean.item() / size)
    by = type(optimizer).__name__
    print(f"rank {rank} host {socket.gethostname()} at 0 by {by} on {size}: losses {losses}", flush=True)


def train_with_torch() -> None:
    """The same with PyTorch alone: torchrun starts the ranks, DistributedDataParallel averages the gradients."""
    import socket

    import torch

    torch.distributed.init_process_group("gloo")
    rank, size = torch.distributed.get_rank(), torch.distributed.get_world_size()
    torch.manual_seed(0)
    layers = torch.nn.Sequential(torch.nn.Linear(8, 32), torch.nn.Tanh(), torch.nn.Linear(32, 1))
    model = torch.nn.parallel.DistributedDataParallel(layers)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    torch.manual_seed(1 + rank)
    inputs = torch.randn(32, 8)
    wanted = inputs.sum(dim=1, keepdim=True)
    losses = []
    for _ in range(20):
        optimizer.zero_grad()
        loss = torch.nn.functional.mse_loss(model(inputs), wanted)
        loss.backward()
        optimizer.step()
        mean = loss.detach().clone()
        torch.distributed.all_reduce(mean)
        losses.append(mean.item() / size)
    by = type(model).__name__
    print(f"rank {rank} host {socket.gethostname()} at 0 by {by} on {size}: losses {losses}", flush=True)
