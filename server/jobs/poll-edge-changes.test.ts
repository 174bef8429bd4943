import { describe, expect, it } from 'vitest';
import { inTransaction } from '#db/transaction.ts';
import type { EdgeChange } from '#server/services/edge-changes/edge-changes.ts';
import { pruneEdgeChanges } from '#server/services/edge-changes/prune-edge-changes.ts';
import { recordEdgeChanges } from '#server/services/edge-changes/record-edge-changes.ts';
import { jobContext } from '#tests/support/app/job-context.ts';
import { createTestApp, type TestApp } from '#tests/support/app/test-app.ts';
import { engine } from '#tests/support/runner/engine.ts';
import { pollEdgeChanges } from './poll-edge-changes.ts';

/** Writes a change as another node would: this process does not get its notification. */
async function changeElsewhere(app: TestApp, siteId: string): Promise<void> {
  const change = { site_id: siteId, hostname: null };
  await inTransaction(app.db, (trx) => recordEdgeChanges(trx, [change], app.clock.now()));
}

describe('changes of other nodes', () => {
  it('arrive once each, in order, beginning with those after the start', async () => {
    const app = await createTestApp();
    await changeElsewhere(app, 'before');
    const seen: (string | null)[] = [];
    let enough: () => void = () => undefined;
    const all = new Promise<void>((resolve) => {
      enough = resolve;
    });
    const stop = await pollEdgeChanges(
      app,
      (change: EdgeChange) => {
        seen.push(change.site_id);
        if (seen.length === 5) enough();
      },
      2,
    );
    for (const id of ['1', '2', '3', '4', '5']) await changeElsewhere(app, id);
    await all;
    await stop();
    expect(seen).toEqual(['1', '2', '3', '4', '5']);
    await changeElsewhere(app, '6');
    await new Promise((resolve) => setImmediate(resolve));
    expect(seen).toHaveLength(5);
  });

  it.runIf(engine === 'postgres')('arrive long before the next look, also many at once', async () => {
    const app = await createTestApp();
    const seen: (string | null)[] = [];
    const stop = await pollEdgeChanges(app, (change) => void seen.push(change.site_id), 600_000);
    await expect
      .poll(async () => {
        await changeElsewhere(app, 'first');
        return seen;
      })
      .toContain('first');
    await Promise.all(['1', '2', '3'].map((id) => changeElsewhere(app, id)));
    await expect.poll(() => seen).toEqual(expect.arrayContaining(['1', '2', '3']));
    await stop();
  });

  it('are deleted after a day, except the newest, where readers begin', async () => {
    const app = await createTestApp();
    await changeElsewhere(app, 'a');
    await changeElsewhere(app, 'b');
    expect(await pruneEdgeChanges(jobContext(app))).toEqual({ pruned: 0 });
    app.clock.advance(25 * 60 * 60 * 1000);
    expect(await pruneEdgeChanges(jobContext(app))).toEqual({ pruned: 1 });
    expect(await app.db.selectFrom('edge_changes').select('site_id').execute()).toEqual([{ site_id: 'b' }]);
  });
});
