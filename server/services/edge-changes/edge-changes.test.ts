import { describe, expect, it } from 'vitest';
import { DAY_MS } from '#server/durations.ts';
import { jobContext } from '#tests/support/app/job-context.ts';
import { createTestApp, type TestApp } from '#tests/support/app/test-app.ts';
import { engine } from '#tests/support/runner/engine.ts';
import { inUnitOfWork } from '../shared/unit-of-work.ts';
import { hearEdgeChanges } from './hear-edge-changes.ts';
import { findNewestSequence, listEdgeChanges } from './list-edge-changes.ts';
import { pruneEdgeChanges } from './prune-edge-changes.ts';

const change = (app: TestApp, siteId: string) =>
  inUnitOfWork(jobContext(app), async ({ tellEdges }) => tellEdges({ site_id: siteId, hostname: null }));

describe('the change log of the edges', () => {
  it('is read in commit order after a sequence', async () => {
    const app = await createTestApp();
    await change(app, 'a');
    const seen = await findNewestSequence(app);
    await change(app, 'b');
    await change(app, 'c');
    const { changes, isLast } = await listEdgeChanges(app, seen);
    expect(changes.map((entry) => entry.site_id)).toEqual(['b', 'c']);
    expect(isLast).toBe(true);
  });

  it('shows a reader of "after the last" every change of many concurrent writers', async () => {
    const app = await createTestApp();
    const names = Array.from({ length: 40 }, (_, index) => `site-${index}`);
    const seen: string[] = [];
    let last = await findNewestSequence(app);
    const read = async () => {
      const { changes } = await listEdgeChanges(app, last);
      for (const entry of changes) seen.push(entry.site_id ?? '');
      last = changes.at(-1)?.sequence ?? last;
    };
    const writers = Promise.all(names.map((name) => change(app, name)));
    for (let round = 0; round < 20; round += 1) await read();
    await writers;
    await read();
    expect([...seen].sort()).toEqual([...names].sort());
  });

  it('announces a change in process only after its commit, and never a failed one', async () => {
    const app = await createTestApp();
    const heard: string[] = [];
    app.edgeChanges.subscribe((entry) => heard.push(entry.site_id ?? ''));
    await change(app, 'a');
    const failed = inUnitOfWork(jobContext(app), async ({ tellEdges }) => {
      tellEdges({ site_id: 'b', hostname: null });
      throw new Error('changed my mind');
    });
    await expect(failed).rejects.toThrow('changed my mind');
    expect(heard).toEqual(['a']);
  });

  it.runIf(engine === 'postgres')('is told of by the database when a change is committed', async () => {
    const app = await createTestApp();
    let news = 0;
    const stop = hearEdgeChanges(app, () => {
      news += 1;
    });
    // It begins to listen while the first ones are made.
    await expect
      .poll(async () => {
        await change(app, 'a');
        return news;
      })
      .toBeGreaterThan(0);
    await stop();
  });

  it('is pruned except for the newest change, where readers begin', async () => {
    const app = await createTestApp();
    await change(app, 'a');
    await change(app, 'b');
    app.clock.advance(30 * DAY_MS);
    expect(await pruneEdgeChanges(jobContext(app))).toEqual({ pruned: 1 });
    expect((await listEdgeChanges(app, 0)).changes.map((entry) => entry.site_id)).toEqual(['b']);
  });
});
