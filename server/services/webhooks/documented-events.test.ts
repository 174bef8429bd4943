import { expect, it } from 'vitest';
import { z } from 'zod';
import { deployTestFiles } from '#tests/support/app/deploy.ts';
import { createTestApp } from '#tests/support/app/test-app.ts';
import { createTestPerson } from '#tests/support/app/test-person.ts';
import { readDocumentedEvents, readDocumentedValues } from '#tests/support/webhooks/documented-events.ts';
import { listenToAll } from '#tests/support/webhooks/listen-to.ts';
import { listVersions } from '../deployments/list-versions.ts';
import { rollbackSite } from '../deployments/rollback-site.ts';
import { createSite } from '../sites/create-site.ts';
import { ALL_EVENTS, type AnyEvent, EVENT_DATA } from './event-schemas.ts';

it('the manual lists every event, and no other, with its fields', () => {
  const documented = readDocumentedEvents();
  const fields = ALL_EVENTS.map((event) => [event, Object.keys(EVENT_DATA[event].shape).sort()] as const);
  expect(documented).toEqual(new Map(fields));
  expect(documented.get('invoice.disputed')).toEqual([
    'amount_cents',
    'invoice_id',
    'number',
    'reversed_cents',
    'status',
  ]);
});

/** Returns the values of each field of an event that has a fixed set of them, as text, sorted. */
function fixedValuesOf(event: AnyEvent): [field: string, values: string[]][] {
  const { properties = {} } = z.toJSONSchema(EVENT_DATA[event]);
  const { actor, ...fields } = properties;
  const inActor = typeof actor === 'object' ? actor.properties?.kind : undefined;
  return Object.entries({ ...fields, ...(inActor && { actor: inActor }) }).flatMap(([field, schema]) =>
    typeof schema === 'object' && schema.enum ? [[field, schema.enum.map(String).sort()]] : [],
  );
}

it('the manual lists every value of the fields that have a fixed set of them', () => {
  const documented = readDocumentedValues();
  const checked = new Set<string>();
  for (const event of ALL_EVENTS) {
    for (const [field, values] of fixedValuesOf(event)) {
      const named = field === 'problem' ? `problem ${event.split('.')[0]}` : field;
      expect([named, documented.get(named)]).toEqual([named, values]);
      checked.add(named);
    }
  }
  expect([...checked].sort()).toEqual([
    'actor',
    'problem certificate',
    'problem invoice',
    'scope',
    'share',
    'status',
  ]);
});

it('a deploy and a rollback are told as the API then describes them', async () => {
  const { context, user } = await createTestPerson(await createTestApp());
  const site = await createSite(context, { name: 'Blog « 1 »' });
  const told = await listenToAll(context);
  for (const text of ['one', 'two']) await deployTestFiles(context, site.id, { 'index.html': text });
  const { items } = await listVersions(context, { site_id: site.id });
  const [second, first] = items;
  await rollbackSite(context, { site_id: site.id, version_id: first?.id ?? '' });
  const common = {
    organization_id: context.organization.id,
    site_id: site.id,
    site_name: 'Blog « 1 »',
    url: site.subdomain_url,
    actor: { kind: 'person', name: user.login },
  };
  const one = { ...common, version_id: first?.id, version_number: 1 };
  expect((await told()).map(({ type, data }) => ({ type, data }))).toEqual([
    { type: 'deploy.published', data: one },
    { type: 'deploy.published', data: { ...common, version_id: second?.id, version_number: 2 } },
    { type: 'deploy.rolled_back', data: { ...one, reverted: 1 } },
  ]);
});
