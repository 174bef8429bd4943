import type { AnyProcedure, AnyRouter } from '@trpc/server';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { newId } from '#server/ids.ts';
import { REST_ROUTES } from '#server/rest/routes.ts';
import { appRouter } from '#server/routers/app-router.ts';
import { packTar } from '#tests/support/pack-tar.ts';
import {
  callProcedure,
  callRoute,
  listProcedures,
  type SurfaceResponse,
} from '#tests/support/surfaces/call-surface.ts';
import {
  MISSING_CONTENT,
  MISSING_SHA256,
  type TenantIds,
} from '#tests/support/surfaces/fill-organization.ts';
import { PROCEDURE_EXAMPLES, routeExamples } from '#tests/support/surfaces/surface-examples.ts';
import { startTenancyWorld, type TenancyWorld } from '#tests/support/surfaces/tenancy-world.ts';

/** Values that a caller may send instead of an id. None of them identifies anything. */
const STRANGE_IDS: Record<string, string> = {
  'an id of the right form': newId(),
  'an id in capitals': newId().toUpperCase(),
  'a path': '../../etc/passwd',
  'a dot': '.',
  'a quote of SQL': "' or 1=1 --",
  'a wildcard': '%',
  script: '<script>alert(1)</script>',
  'a zero byte': 'a\u0000b',
  'half a surrogate pair': '\ud800',
  'a name of every object': '__proto__',
  'a number': '0',
  'two thousand letters': 'x'.repeat(2000),
};

const archive = await packTar({ [MISSING_SHA256]: MISSING_CONTENT });
const procedures = listProcedures();

/** The same value for everything that a request can refer to. */
function everyId(world: TenancyWorld, value: string): TenantIds {
  const entries = Object.keys(world.ours.ids).map((name) => [name, value]);
  // Safe: the names are those of the ids.
  return Object.fromEntries(entries) as TenantIds;
}

function expectCalmRefusal({ status, text }: SurfaceResponse, what: string): void {
  expect.soft([400, 403, 404, 405, 414], `${what}: ${status} ${text.slice(0, 200)}`).toContain(status);
  expect.soft(text, what).not.toMatch(/\bat .+:\d+:\d+|SQLITE|select |node_modules/i);
  expect.soft(text.length, `${what} is answered with a page of text`).toBeLessThan(3000);
}

describe('an unknown id', () => {
  it('is refused without an internal error by every procedure, whatever its form', async () => {
    const world = await startTenancyWorld();
    const { baseUrl, members, ours } = world;
    for (const [form, value] of Object.entries(STRANGE_IDS)) {
      for (const procedure of procedures) {
        const example = PROCEDURE_EXAMPLES[procedure.name];
        if (!example?.isNaming) continue;
        const input = {
          ...(example.audience === 'organization' ? { organization_id: ours.ids.organization } : {}),
          ...example.request(everyId(world, value)),
        };
        const response = await callProcedure(baseUrl, members.owner, procedure, input);
        expectCalmRefusal(response, `${procedure.name} with ${form}`);
      }
    }
  });

  it('is refused without an internal error by every route, whatever its form', async () => {
    const world = await startTenancyWorld();
    const { baseUrl, members, ours } = world;
    for (const [form, value] of Object.entries(STRANGE_IDS)) {
      // Neither can be written in an address at all.
      if (/half a surrogate|a dot/.test(form)) continue;
      for (const [name, example] of Object.entries(routeExamples(archive))) {
        if (!example.isNaming) continue;
        const request = example.request(everyId(world, value));
        const response = await callRoute(baseUrl, members.owner, name, request, ours.ids.organization);
        expectCalmRefusal(response, `${name} with ${form}`);
      }
    }
  });

  it('of an organization reveals nothing in it, on every procedure and route', async () => {
    const world = await startTenancyWorld();
    const { baseUrl, members, ours } = world;
    for (const [form, value] of Object.entries(STRANGE_IDS)) {
      for (const procedure of procedures) {
        const example = PROCEDURE_EXAMPLES[procedure.name];
        if (example?.audience !== 'organization') continue;
        const input = { organization_id: value, ...example.request(ours.ids) };
        const response = await callProcedure(baseUrl, members.owner, procedure, input);
        expectCalmRefusal(response, `${procedure.name} in ${form}`);
      }
      // A header cannot contain such characters.
      if (/surrogate|zero byte|two thousand/.test(form)) continue;
      for (const [name, example] of Object.entries(routeExamples(archive))) {
        if (example.audience !== 'organization') continue;
        const response = await callRoute(baseUrl, members.owner, name, example.request(ours.ids), value);
        expectCalmRefusal(response, `${name} in ${form}`);
      }
    }
  });
});

/** What no page of any list has returned: a word, an id of the wrong form, one more than a number has, bytes that are no text. */
const STRANGE_CURSORS = ['nonsense', '~', '-1', '9'.repeat(20), 'gIA'];

it('an unknown cursor is refused by every list: a client must not get the first page again and again', async () => {
  const { baseUrl, members, operators, ours } = await startTenancyWorld();
  const paged = REST_ROUTES.filter(({ success }) => success.kind === 'page').map(({ id }) => id);
  const withCursor = procedures.filter(({ name }) => acceptsCursor(name));
  expect(paged.length).toBeGreaterThan(7);
  expect(withCursor.length).toBeGreaterThan(12);
  for (const cursor of STRANGE_CURSORS) {
    for (const [name, example] of Object.entries(routeExamples(archive))) {
      if (!paged.includes(name)) continue;
      const { query, ...request } = example.request(ours.ids);
      const strange = { ...request, query: { ...query, cursor } };
      const organization = ours.ids[example.place ?? 'organization'];
      const response = await callRoute(baseUrl, members.owner, name, strange, organization);
      expect.soft([response.status, response.code], `${name} ${cursor}`).toEqual([400, 'invalid_input']);
    }
    for (const procedure of withCursor) {
      const example = PROCEDURE_EXAMPLES[procedure.name];
      if (!example) continue;
      const isOperators = example.audience === 'operator';
      const organization_id = ours.ids[example.place ?? 'organization'];
      const input = {
        ...(isOperators ? {} : { organization_id }),
        ...example.request(ours.ids),
        cursor,
      };
      const asker = isOperators ? operators.manage : members.owner;
      const response = await callProcedure(baseUrl, asker, procedure, input);
      expect
        .soft([response.status, response.code], `${procedure.name} ${cursor}`)
        .toEqual([400, 'invalid_input']);
    }
  }
});

function acceptsCursor(name: string): boolean {
  const router: AnyRouter = appRouter;
  const procedure: AnyProcedure | undefined = router._def.procedures[name];
  const inputs: readonly unknown[] = procedure?._def.inputs ?? [];
  return inputs.some((input) => input instanceof z.ZodObject && 'cursor' in input.shape);
}
