import { expect, it } from 'vitest';
import { REST_ROUTES } from '#server/rest/routes.ts';
import { packTar } from '#tests/support/pack-tar.ts';
import { callRoute } from '#tests/support/surfaces/call-surface.ts';
import { MISSING_CONTENT, MISSING_SHA256 } from '#tests/support/surfaces/fill-organization.ts';
import { routeExamples } from '#tests/support/surfaces/surface-examples.ts';
import { startTenancyWorld } from '#tests/support/surfaces/tenancy-world.ts';

/** Reading the log does not change it, but time does: addresses are shortened and old events removed. */
const UNNAMED = new Set(['exportAuditEvents']);

it('every read responds with 304 to a client that has it, and in full to any other', async () => {
  const { baseUrl, ours, members } = await startTenancyWorld();
  const examples = Object.entries(routeExamples(await packTar({ [MISSING_SHA256]: MISSING_CONTENT })));
  const reads = examples.filter(
    ([name]) =>
      !UNNAMED.has(name) &&
      REST_ROUTES.some(
        ({ id, method, success }) =>
          id === name && method === 'GET' && !['html', 'redirect'].includes(success.kind),
      ),
  );
  expect(reads.length).toBeGreaterThan(15);
  for (const [name, { request, place, audience }] of reads) {
    const organization = audience === 'organization' ? ours.ids[place ?? 'organization'] : null;
    const ask = (tag: string | null) => {
      const { headers, ...rest } = request(ours.ids);
      const condition: Record<string, string> = tag === null ? {} : { 'if-none-match': tag };
      return callRoute(
        baseUrl,
        members.owner,
        name,
        { ...rest, headers: { ...headers, ...condition } },
        organization,
      );
    };
    const first = await ask(null);
    expect.soft([first.status, first.etag !== null], `${name} says what names it`).toEqual([200, true]);
    const again = await ask(first.etag);
    expect.soft([again.status, again.text], `${name} again`).toEqual([304, '']);
    const other = await ask('"something else"');
    expect.soft(other.status, `${name} to who has something else`).toBe(200);
  }
});
