import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createTestApp } from '#tests/support/app/test-app.ts';
import { countedOf, newSeries, spoolFolder } from '#tests/support/usage/metering-world.ts';
import { usageBatch, usageRow } from '#tests/support/usage/usage-batches.ts';
import { applyUsageBatch } from '../services/usage/apply-usage-batch.ts';
import type { UsageBatch } from '../services/usage/schema.ts';
import { retryQuarantined } from './retry-quarantined.ts';

it('a quarantined batch is counted once when it can be, and only once; the others stay with their problem', async () => {
  const app = await createTestApp();
  const root = await spoolFolder();
  const apply = (batch: UsageBatch) => applyUsageBatch(app, batch);
  expect(await retryQuarantined(join(root, 'none'), apply)).toEqual([]);
  const { organizationId } = newSeries();
  const batch = usageBatch(app.clock.now(), [usageRow(organizationId, {}, { requests: 1 })]);
  // The run has continued meanwhile.
  await applyUsageBatch(app, { ...batch, sequence: 9, rows: [] });
  const text = (over: Partial<UsageBatch>) => JSON.stringify({ ...batch, ...over });
  await writeFile(join(root, 'a-1.json.bad'), text({}));
  await writeFile(join(root, 'a-2.json.bad'), text({ sequence: 2 }));
  await writeFile(join(root, 'a-3.json.bad'), '{"node_id": "torn');
  await writeFile(join(root, 'a-4.json.bad'), text({ sequence: 4, hour: 1 }));
  await writeFile(join(root, 'node-id'), batch.node_id);
  const retry = () => retryQuarantined(root, apply);
  expect(await retry()).toEqual([
    { file: 'a-1.json.bad', problem: null },
    { file: 'a-2.json.bad', problem: null },
    { file: 'a-3.json.bad', problem: expect.stringContaining('JSON') },
    { file: 'a-4.json.bad', problem: expect.stringMatching(/3600000 → at hour$/) },
  ]);
  // As if it had been interrupted between counting and removing.
  await writeFile(join(root, 'a-2.json.bad'), text({ sequence: 2 }));
  await writeFile(join(root, 'a-3.json.bad'), text({ sequence: 3 }));
  await writeFile(join(root, 'a-4.json.bad'), text({ sequence: 4 }));
  await retry();
  expect(await countedOf(app.db, organizationId)).toMatchObject({ requests: 4 });
  expect(await readdir(root)).toEqual(['node-id']);
});

it('what the database does not accept now stays for the next attempt', async () => {
  const root = await spoolFolder();
  await writeFile(join(root, 'a-1.json.bad'), JSON.stringify(usageBatch(0, [])));
  const away = () => Promise.reject(new Error('the database is away'));
  expect(await retryQuarantined(root, away)).toEqual([
    { file: 'a-1.json.bad', problem: 'the database is away' },
  ]);
  expect(await readdir(root)).toEqual(['a-1.json.bad']);
});
