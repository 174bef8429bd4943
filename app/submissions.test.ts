import { describe, expect, it, vi } from 'vitest';
import { procedures } from '#server/routers/call-procedures.ts';
import { CallError } from './call-error.ts';
import { createSubmissions, makesSomething } from './submissions.ts';

const lost = () => new CallError('Failed to fetch', { data: null, isAnswered: false });
const refusal = (code: string) =>
  new CallError('no', { data: { error: { code, params: {}, fields: [] } } as never, isAnswered: true });

/** Sends through `submit` what ends as given, attempt by attempt, and returns the keys that were sent. */
function world() {
  const submit = createSubmissions(async () => {});
  const keys: (string | null)[] = [];
  const send = (path: string, input: unknown, ...ends: (Error | string)[]) =>
    submit(path, input, async (key) => {
      keys.push(key);
      const end = ends.shift() ?? 'made';
      if (end instanceof Error) throw end;
      return end;
    }).catch((error: unknown) => error);
  return { keys, send };
}

/** All mutations that are sent without a key. */
const REPEATABLE = [
  'billing.removeLimit',
  'billing.removePaymentMethod',
  'billing.setDefaultPaymentMethod',
  'billing.setLimit',
  'billing.updateContact',
  'cdn.delete',
  'cdn.update',
  'certificates.issue',
  'certificates.validate',
  'credentials.delete',
  'credentials.updateScopes',
  'deployments.addFiles',
  'deployments.cancel',
  'deployments.rollback',
  'deployments.seal',
  'operator.blockPerson',
  'operator.deletePerson',
  'operator.dismissAbuseReport',
  'operator.resume',
  'operator.resumeSite',
  'operator.setFeatures',
  'operator.setLimits',
  'operator.setMember',
  'operator.signOutPerson',
  'operator.suspend',
  'operator.suspendSite',
  'operator.unblockPerson',
  'organizations.delete',
  'organizations.leave',
  'organizations.removeMember',
  'organizations.revokeInvitation',
  'organizations.setContext',
  'organizations.update',
  'organizations.updateMember',
  'sites.delete',
  'sites.publishers.remove',
  'sites.restore',
  'sites.update',
  'storage.abandonIdleUploads',
  'storage.abandonUpload',
  'storage.deleteBucket',
  'storage.deleteObjects',
  'storage.emptyBucket',
  'storage.shareObject',
  'storage.stopEmptyingBucket',
  'storage.updateBucket',
  'user.revokeSession',
  'user.updateSettings',
  'webhooks.delete',
  'webhooks.update',
];

const blog = { organization_id: 'org', name: 'blog' };

describe('a submission that makes something', () => {
  it('is sent once more, under its key, when the response is lost', async () => {
    const { keys, send } = world();
    expect(await send('sites.create', blog, lost(), 'made')).toBe('made');
    expect(keys).toEqual([expect.stringMatching(/^[0-9-]{7,43}$/), keys[0]]);
  });

  it('has the same key when the person sends it again, and another one once it was answered', async () => {
    const { keys, send } = world();
    expect(await send('sites.create', blog, lost(), lost())).toMatchObject({ isAnswered: false });
    expect(await send('sites.create', blog)).toBe('made');
    expect(await send('sites.create', blog, refusal('site_name_taken'))).toBeInstanceOf(CallError);
    await send('sites.create', blog);
    expect(new Set(keys.slice(0, 3)).size).toBe(1);
    expect(new Set(keys.slice(2)).size).toBe(3);
  });

  it('has another key with other content, after another change, and after a while', async () => {
    const { keys, send } = world();
    await send('sites.create', blog, lost(), lost());
    await send('sites.create', { ...blog, name: 'shop' }, lost(), lost());
    await send('sites.delete', { site_id: 'shop' });
    await send('sites.create', { ...blog, name: 'shop' }, lost(), lost());
    vi.useFakeTimers({ now: Date.now() + 120_000 });
    await send('sites.create', { ...blog, name: 'shop' });
    vi.useRealTimers();
    expect(keys.filter((key) => key === null)).toHaveLength(1);
    expect(new Set(keys.filter((key) => key !== null)).size).toBe(4);
  });

  it('waits for the first attempt while that is still at work', async () => {
    const { keys, send } = world();
    const atWork = refusal('idempotency_request_running');
    expect(await send('credentials.create', {}, lost(), atWork, atWork, 'made')).toBe('made');
    expect(new Set(keys).size).toBe(1);
    const tries = Array.from({ length: 9 }, () => atWork);
    expect(await send('credentials.create', {}, ...tries)).toBe(atWork);
    expect(keys).toHaveLength(4 + 5);
  });
});

describe('other changes', () => {
  it('are sent once, without a key', async () => {
    const { keys, send } = world();
    expect(await send('sites.update', {}, lost())).toBeInstanceOf(CallError);
    expect(keys).toEqual([null]);
  });

  it('set, remove or end something: doing so again changes nothing', () => {
    const mutations = Object.entries(procedures).filter(([, each]) => each?._def.type === 'mutation');
    const others = mutations.map(([path]) => path).filter((path) => !makesSomething(path));
    expect(others.sort()).toEqual(REPEATABLE);
    expect(mutations).toHaveLength(REPEATABLE.length + 19);
  });
});
