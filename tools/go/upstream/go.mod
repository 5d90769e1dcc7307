module training-platform/tools/upstream

go 1.26
