#!/usr/bin/env bash
# Runs everything in this folder on a machine with an NVIDIA GPU: tests, examples on the GPU and on
# the emulator with equal results, benches beside their peers where nvcc exists, and the tests again
# under compute-sanitizer where that exists. Prints a table last; fails if anything did.
set -u
cd "$(dirname "$0")" || exit 1
chmod +x tests/* examples/* benches/* 2>/dev/null
logs=${LOGS:-logs}
mkdir -p "$logs"
rows=() failures=0

# row NAME COMMAND…: runs the command, its output in a log of that name.
row() {
    local name=$1 start=$SECONDS
    shift
    if "$@" >"$logs/${name//[ \/]/-}.log" 2>&1; then
        rows+=("pass  $((SECONDS - start)) s  $name")
    else
        rows+=("FAIL  $((SECONDS - start)) s  $name")
        failures=$((failures + 1))
        tail -n 40 "$logs/${name//[ \/]/-}.log"
    fi
}

export GRIDLAUNCH_DEVICE=cuda:0
for test in tests/*; do
    row "test $(basename "$test")" "$test"
done

# same EXAMPLE: its output and every file that it writes are equal on both devices, but for the
# lines that name the device or a time.
same() {
    local name=$1 device folder
    for device in cuda:0 emulator; do
        folder=$logs/$name-${device%:0}
        mkdir -p "$folder"
        (cd "$folder" && GRIDLAUNCH_DEVICE=$device "$OLDPWD/examples/$name" >output.txt) || return 1
        cat "$folder/output.txt"
        sed -i '/^device:/d; /^kernel time:/d' "$folder/output.txt"
    done
    diff -r "$logs/$name-cuda" "$logs/$name-emulator"
}
for example in examples/*; do
    [ -f "$example" ] && row "example $(basename "$example")" same "$(basename "$example")"
done

if command -v nvcc >/dev/null; then
    for peer in benches/peers/*.cu; do
        row "nvcc $(basename "$peer")" nvcc -O3 -arch=native -cubin -o "${peer%.cu}.cubin" "$peer"
    done
    export GRIDLAUNCH_PEERS=$PWD/benches/peers
fi
for bench in benches/*; do
    [ -f "$bench" ] || continue
    row "bench $(basename "$bench")" "$bench" --bench
    cat "$logs/bench-$(basename "$bench").log"
done

if command -v compute-sanitizer >/dev/null; then
    for test in tests/*; do
        # Calls that the driver refuses are what some tests are about. A program that never asks
        # for the GPU has nothing to check.
        grep -q cuInit "$test" || continue
        row "memcheck $(basename "$test")" compute-sanitizer --tool memcheck --report-api-errors no \
            --error-exitcode 77 --target-processes all "$test" --test-threads 1
    done
fi

printf '%s\n' "${rows[@]}"
echo "$((${#rows[@]} - failures)) passed, $failures failed"
[ "$failures" -eq 0 ]
