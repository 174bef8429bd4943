import { expect, it } from 'vitest';
import { inTransaction } from '#db/transaction.ts';
import { jobContext } from '#tests/support/app/job-context.ts';
import { createTestApp, type TestApp } from '#tests/support/app/test-app.ts';
import { makeTemporaryFolder } from '#tests/support/temporary-folder.ts';
import { findNewestSequence } from '../../edge-changes/list-edge-changes.ts';
import { pruneEdgeChanges } from '../../edge-changes/prune-edge-changes.ts';
import { recordEdgeChanges } from '../../edge-changes/record-edge-changes.ts';
import { catchUpWithChanges } from './catch-up-with-changes.ts';
import { ChangeMarks } from './change-marks.ts';
import { KnowledgeFolder } from './knowledge-folder.ts';

async function prepare() {
  const app = await createTestApp();
  const folder = new KnowledgeFolder(await makeTemporaryFolder({}), Buffer.alloc(32));
  await folder.prepare();
  const marks = new ChangeMarks({ folder, now: () => app.clock.now(), onError: () => undefined });
  const applied: (string | null)[] = [];
  return {
    ...{ app, marks, applied },
    /** What an edge does when it starts: it marks what it applies. */
    catchUp: async () => {
      const last = await catchUpWithChanges(app, marks, (change) => {
        applied.push(change.site_id);
        marks.mark(change);
      });
      await marks.idle();
      return last;
    },
    isCurrent: (askedAt: number) => marks.isCurrent(askedAt, ['site a']),
  };
}

async function change(app: TestApp, ...siteIds: string[]): Promise<void> {
  const changes = siteIds.map((site_id) => ({ site_id, hostname: null }));
  await inTransaction(app.db, (trx) => recordEdgeChanges(trx, changes, app.clock.now()));
}

it('an edge that starts learns what was changed while no edge of its machine was running', async () => {
  const { app, applied, catchUp, isCurrent, marks } = await prepare();
  await change(app, 'before');
  await catchUp();
  app.clock.advance(1);
  const askedAt = app.clock.now();
  expect(await isCurrent(askedAt)).toBe(true);
  app.clock.advance(1);
  await change(app, 'b');
  expect(await catchUp()).toBe(await findNewestSequence(app));
  expect([applied, await isCurrent(askedAt)]).toEqual([['b'], true]);
  await change(app, 'a');
  await catchUp();
  expect([applied, await isCurrent(askedAt)]).toEqual([['b', 'a'], false]);
  expect(await marks.findPosition()).toBe(await findNewestSequence(app));
  await catchUp();
  expect(applied).toEqual(['b', 'a']);
});

it('everything may have changed when nobody has followed the log before, or too much has happened since', async () => {
  const { app, applied, catchUp, isCurrent } = await prepare();
  const first = app.clock.now();
  await catchUp();
  expect(await isCurrent(first)).toBe(false);
  app.clock.advance(1);
  const second = app.clock.now();
  expect(await isCurrent(second)).toBe(true);
  app.clock.advance(1);
  await change(app, ...Array.from({ length: 1_000 }, (_, index) => `site-${index}`));
  expect(await catchUp()).toBe(await findNewestSequence(app));
  expect([await isCurrent(second), applied.includes('site-999')]).toEqual([false, true]);
});

it('everything may have changed when the database was replaced by an earlier one', async () => {
  const { app, catchUp, isCurrent, marks } = await prepare();
  await change(app, 'x');
  const newest = await findNewestSequence(app);
  marks.followed(newest + 5);
  await marks.idle();
  const askedAt = app.clock.now();
  expect([await catchUp(), await isCurrent(askedAt)]).toEqual([newest, false]);
});

it('the log still has every change since the oldest lookup that is used', async () => {
  const { app, catchUp, isCurrent } = await prepare();
  await catchUp();
  app.clock.advance(1);
  const askedAt = app.clock.now();
  await change(app, 'a', 'last');
  app.clock.advance(24 * 60 * 60 * 1000 + 1);
  expect(await pruneEdgeChanges(jobContext(app))).toEqual({ pruned: 1 });
  expect(await isCurrent(askedAt)).toBe(false);
});
