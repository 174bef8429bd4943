import { expect, it } from 'vitest';
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
