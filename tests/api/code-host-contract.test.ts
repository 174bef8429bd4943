import { createServer } from 'node:http';
import { describe, expect, it } from 'vitest';
import { createCodeHost } from '#server/auth/upstream/code-host.ts';
import { testOutgoing } from '#tests/support/app/test-outgoing.ts';
import { describeCodeHost } from '#tests/support/identity/describe-code-host.ts';
import { FakeCodeHost, type HostMood } from '#tests/support/identity/fake-code-host.ts';
import { listenOnFreePort } from '#tests/support/server/console-server.ts';

async function startFake() {
  const host = new FakeCodeHost();
  const server = createServer(async (request, response) => {
    await host.answer(request, response, new URL(request.url ?? '/', 'http://host.example'));
  });
  const baseUrl = await listenOnFreePort(server);
  return { host, server, baseUrl };
}

describeCodeHost('a host in the form of Forgejo', async () => {
  const { host, baseUrl } = await startFake();
  return host.underTest(baseUrl);
});

async function prepare() {
  const { host, server, baseUrl } = await startFake();
  host.addPerson({ login: 'ada', full_name: '', email: '' });
  const token = host.issueToken('ada');
  const read = (milliseconds = 20_000) =>
    createCodeHost(baseUrl, testOutgoing()).read(token, AbortSignal.timeout(milliseconds));
  return { host, server, read };
}

const outage = { name: 'UpstreamError', kind: 'outage' };

describe('reading a code host', () => {
  it.each(['both', 'link', 'count', 'none'] as const)(
    'finds every page when its headers contain %s, even when pages are shorter than requested',
    async (headers) => {
      const { host, read } = await prepare();
      host.pageMax = 4;
      host.pageHeaders = headers;
      for (let count = 0; count < 12; count += 1)
        host.addOrganization({ handle: `o-${count}`, name: '' }, { ada: 'read' });
      const { organizations } = await read();
      expect(organizations.map(({ handle }) => handle)).toEqual(
        Array.from({ length: 12 }, (_, count) => `o-${count}`),
      );
    },
  );

  it('reads no more than 500 organizations, the oldest, and reports it', async () => {
    const { host, read } = await prepare();
    for (let count = 0; count < 520; count += 1)
      host.addOrganization({ handle: `o-${count}`, name: '' }, { ada: 'read' });
    const { organizations, isTruncated } = await read();
    expect(organizations).toHaveLength(500);
    expect(organizations.at(-1)?.handle).toBe('o-499');
    expect(isTruncated).toBe(true);
  });

  it('ends although the host lists the same page forever', async () => {
    const { host, read } = await prepare();
    host.pageHeaders = 'none';
    host.ignoresPages = true;
    host.addOrganization({ handle: 'same', name: '' }, { ada: 'read' });
    expect((await read()).organizations).toHaveLength(1);
  });

  it('uses the handle when there is no other, and accepts only web addresses', async () => {
    const { host, read } = await prepare();
    const links = { website: 'javascript:alert(1)', avatar_url: 'data:image/png;base64,AA' };
    host.addOrganization({ handle: 'Plain_1.x', name: ' ', ...links }, { ada: 'write' });
    const { profile, organizations } = await read();
    expect(profile).toMatchObject({ login: 'ada', full_name: 'ada', email: '' });
    expect(organizations).toMatchObject([
      { handle: 'Plain_1.x', name: 'Plain_1.x', website: null, avatar_url: null },
    ]);
  });

  it('does not lose an organization that is renamed while it is read', async () => {
    const { host, read } = await prepare();
    const renamed = host.addOrganization({ handle: 'before', name: '' }, { ada: 'write' });
    host.onAsk = (path) => {
      if (path.endsWith('/before/permissions')) renamed.handle = 'after';
    };
    expect((await read()).organizations).toMatchObject([{ handle: 'after', permission: 'write' }]);
  });

  it('returns no membership when nothing is granted', async () => {
    const { host, read } = await prepare();
    const organization = host.addOrganization({ handle: 'left', name: '' }, { ada: 'read' });
    host.onAsk = (path) => {
      if (path.endsWith('/permissions')) organization.members.delete('ada');
    };
    expect((await read()).organizations).toEqual([]);
  });

  it.each(['failing', 'overloaded', 'nonsense', 'endless', 'moved'] satisfies HostMood[])(
    'of a host that is %s returns nothing',
    async (mood) => {
      const { host, read } = await prepare();
      host.mood = mood;
      await expect(read()).rejects.toMatchObject(outage);
    },
  );

  it('of a host that hangs or is gone returns nothing', async () => {
    const { host, server, read } = await prepare();
    host.mood = 'hanging';
    await expect(read(200)).rejects.toMatchObject(outage);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await expect(read()).rejects.toMatchObject(outage);
  });

  it('sends the token to no other address', async () => {
    const { host, read } = await prepare();
    const asked: string[] = [];
    const elsewhere = await listenOnFreePort(
      createServer((request, response) => {
        asked.push(request.url ?? '');
        response.end('[]');
      }),
    );
    host.redirectsTo = elsewhere;
    host.mood = 'moved';
    await expect(read()).rejects.toMatchObject(outage);
    expect(host.asked).toEqual(['/user']);
    expect(asked).toEqual([]);
  });
});
