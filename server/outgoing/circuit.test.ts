import { expect, it, onTestFinished, vi } from 'vitest';
import { Circuit } from './circuit.ts';

it('a dependency that does not respond is left alone after five failures, and tried again later by one call', async () => {
  let now = 1_000;
  let calls = 0;
  let isAway = true;
  const circuit = new Circuit(
    () => true,
    () => now,
  );
  const call = () =>
    circuit.run(async () => {
      calls += 1;
      if (isAway) throw new Error('away');
      return 'back';
    });
  for (let attempt = 0; attempt < 5; attempt += 1) await expect(call()).rejects.toThrow('away');
  await expect(call()).rejects.toMatchObject({ code: 'service_unavailable', params: { seconds: 5 } });
  expect(calls).toBe(5);
  now += 5_001;
  const both = await Promise.allSettled([call(), call()]);
  expect(calls, 'one of two tries').toBe(6);
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  now += 5_001;
  isAway = false;
  expect(await call()).toBe('back');
  expect(await call()).toBe('back');
});

it('a dependency that nobody asks is found to be back by the circuit itself', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  let isAway = true;
  let probes = 0;
  const circuit = new Circuit(
    () => true,
    () => Date.now(),
  );
  const answer = async () => {
    if (isAway) throw new Error('away');
  };
  circuit.probeWith(() => {
    probes += 1;
    return answer();
  });
  for (let attempt = 0; attempt < 5; attempt += 1) await expect(circuit.run(answer)).rejects.toThrow('away');
  await vi.advanceTimersByTimeAsync(16_000);
  expect([circuit.isOpen, probes]).toEqual([true, 3]);
  isAway = false;
  await vi.advanceTimersByTimeAsync(5_000);
  expect([circuit.isOpen, probes]).toEqual([false, 4]);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(probes).toBe(4);
});
