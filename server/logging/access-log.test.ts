import { mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Registry } from 'prom-client';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { pollUntil } from '#tests/support/poll-until.ts';
import { makeTemporaryFolder } from '#tests/support/temporary-folder.ts';
import { openAccessLog, shortenAddress } from './access-log.ts';

async function openEdgeLog(file: string) {
  const warnings: unknown[] = [];
  const metrics = new Registry();
  const log = await openAccessLog(
    {
      clock: { now: () => 0 },
      config: { accessLog: { doors: new Set(['edge']), file, hasWholeAddresses: true } },
      logger: { warn: (details: unknown) => void warnings.push(details) },
      metrics,
    },
    'edge',
  );
  const seen = { address: '', method: 'GET', host: '', target: '/', status: 200, bytes: 0, ms: 0 };
  return {
    warnings,
    write: () => log?.write({ ...seen, referer: '', userAgent: '' }),
    close: () => log?.close(),
    dropped: async () => {
      const { values } = (await metrics.getSingleMetric('portage_access_log_dropped_total')?.get()) ?? {};
      return values?.[0]?.value ?? 0;
    },
  };
}

describe('an access log that cannot be written', () => {
  it('says so once for many lines on a full disk, and lets the process end', async () => {
    const { warnings, write, close } = await openEdgeLog('/dev/full');
    for (let line = 0; line < 30; line += 1) {
      write();
      await sleep(2);
    }
    expect(warnings).toHaveLength(1);
    await close();
  });

  it('without its folder drops lines, says so once, and lets the process end', async () => {
    const folder = await makeTemporaryFolder({});
    const { warnings, write, close, dropped } = await openEdgeLog(join(folder, 'none', 'access.log'));
    for (let line = 0; line < 30; line += 1) write();
    expect(warnings).toHaveLength(1);
    expect(await dropped()).toBe(30);
    await close();
  });

  it('goes on once its folder is there', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const file = join(await makeTemporaryFolder({}), 'late', 'access.log');
    const { write, close } = await openEdgeLog(file);
    await mkdir(dirname(file));
    const written = await pollUntil(
      async () => {
        vi.advanceTimersByTime(60_000);
        write();
        return readFile(file, 'utf8').catch(() => '');
      },
      (text) => text.includes('"log":"access"'),
    );
    expect(written).toContain('"role":"edge"');
    await close();
  });
});

describe('an address in the access log', () => {
  it.each([
    ['192.0.2.77', '192.0.2.0'],
    ['::ffff:192.0.2.77', '192.0.2.0'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1::'],
    ['2001:db8::7', '2001:db8::'],
    ['::1', '::'],
    ['fe80::1%eth0', 'fe80::'],
    ['', ''],
  ])('%s is logged as %s', (address, told) => {
    expect(shortenAddress(address)).toBe(told);
  });
});
