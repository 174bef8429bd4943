import { describe, expect, it } from 'vitest';
import { DAY_MS } from '#server/durations.ts';
import { createRateLimits } from '#server/limits/rate-limits.ts';
import { credentialContext } from '#tests/support/app/credential-context.ts';
import { operatorContext } from '#tests/support/app/operator-context.ts';
import { createTestApp } from '#tests/support/app/test-app.ts';
import { createTestPerson } from '#tests/support/app/test-person.ts';
import { authenticateOperatorToken } from './authenticate-operator-token.ts';
import { createOperatorToken } from './create-operator-token.ts';
import { listOperatorTokens } from './list-operator-tokens.ts';
import { revokeOperatorToken } from './revoke-operator-token.ts';

const ADDRESS = '192.0.2.7';

async function prepare(input: Partial<Parameters<typeof createOperatorToken>[1]> = {}) {
  const app = await createTestApp();
  const context = operatorContext(app);
  const created = await createOperatorToken(context, { name: 'monitoring', ...input });
  const present = (token = created.token) => authenticateOperatorToken(app, { token, address: ADDRESS });
  return { app, context, token: created.token, row: created.operator_token, present };
}

describe('createOperatorToken', () => {
  it('shows the token once, stores only its hash, and records who created it without it', async () => {
    const { app, context, token, row } = await prepare({ access: 'manage', expires_in_days: 30 });
    expect(token).toMatch(/^ptgop_[\w-]{43}$/);
    expect(row).toEqual({
      id: row.id,
      name: 'monitoring',
      access: 'manage',
      created_at: '2026-03-01T12:00:00.000Z',
      last_used_at: null,
      expires_at: '2026-03-31T12:00:00.000Z',
      revoked_at: null,
    });
    const stored = await app.db.selectFrom('operator_tokens').selectAll().execute();
    const [event] = await app.db.selectFrom('audit_events').selectAll().execute();
    expect(event).toMatchObject({
      action: 'operator_token.create',
      resource_id: row.id,
      organization_id: null,
      actor_kind: 'operator',
      actor_name: 'command line',
    });
    expect(JSON.stringify([stored, event, await listOperatorTokens(context)])).not.toContain(token.slice(6));
  });

  it('has read access and works until it is revoked, unless more is requested', async () => {
    const { row } = await prepare();
    expect(row).toMatchObject({ access: 'read', expires_at: null });
  });

  it('refuses a missing name and an invalid expiry', async () => {
    const { context } = await prepare();
    for (const wrong of [
      { name: ' ' },
      { name: 'x', expires_in_days: 0 },
      { name: 'x', expires_in_days: 1.5 },
    ])
      await expect(createOperatorToken(context, wrong)).rejects.toThrow(/name|expires_in_days/);
    expect(await listOperatorTokens(context)).toHaveLength(1);
  });

  it('is only for operators with manage access, as are the list and the revocation of tokens', async () => {
    const { app, row } = await prepare();
    const owner = await createTestPerson(app);
    const reader = operatorContext(app, 'read');
    for (const context of [owner.context, credentialContext(owner.context, []), reader]) {
      const refusal = { code: 'operator_required' };
      await expect(createOperatorToken(context, { name: 'x' })).rejects.toMatchObject(refusal);
      await expect(listOperatorTokens(context)).rejects.toMatchObject(refusal);
      await expect(revokeOperatorToken(context, { token_id: row.id })).rejects.toMatchObject(refusal);
    }
  });
});

describe('authenticateOperatorToken', () => {
  it('returns the actor with its access', async () => {
    const { present, row } = await prepare({ access: 'manage' });
    const actor = { kind: 'operator', tokenId: row.id, name: 'monitoring', access: 'manage' };
    expect(await present()).toEqual(actor);
  });

  it('refuses an unknown token, another spelling of a known one, and its hash', async () => {
    const { app, present, token } = await prepare();
    const { token_hash } = await app.db.selectFrom('operator_tokens').selectAll().executeTakeFirstOrThrow();
    for (const wrong of ['ptgop_', `${token}x`, token.slice(0, -1), token.toUpperCase(), token_hash]) {
      await expect(present(wrong), wrong).rejects.toMatchObject({ code: 'credential_invalid' });
    }
  });

  it('refuses an expired one from that moment on', async () => {
    const { app, present } = await prepare({ expires_in_days: 1 });
    app.clock.advance(DAY_MS - 1);
    await expect(present()).resolves.toMatchObject({ kind: 'operator' });
    app.clock.advance(1);
    await expect(present()).rejects.toMatchObject({ code: 'credential_invalid' });
  });

  it('records the last use at most once a minute', async () => {
    const { app, context, present } = await prepare();
    const lastUse = async () => (await listOperatorTokens(context))[0]?.last_used_at;
    await present();
    app.clock.advance(59_999);
    await present();
    expect(await lastUse()).toBe('2026-03-01T12:00:00.000Z');
    app.clock.advance(1);
    await Promise.all([present(), present()]);
    expect(await lastUse()).toBe('2026-03-01T12:01:00.000Z');
  });

  it('counts failures per address, and never refuses a valid token because of them', async () => {
    const { app, token } = await prepare();
    app.rateLimits = createRateLimits({ operator_failure_address: { points: 3, seconds: 60 } });
    const from = (address: string, presented: string) =>
      authenticateOperatorToken(app, { token: presented, address });
    for (let attempt = 0; attempt < 3; attempt += 1) {
      await expect(from(ADDRESS, 'ptgop_x')).rejects.toMatchObject({ code: 'credential_invalid' });
    }
    await expect(from(ADDRESS, 'ptgop_x')).rejects.toMatchObject({ code: 'too_many_requests' });
    await expect(from('192.0.2.8', 'ptgop_x')).rejects.toMatchObject({ code: 'credential_invalid' });
    await expect(from(ADDRESS, token)).resolves.toMatchObject({ kind: 'operator' });
  });
});

describe('revokeOperatorToken', () => {
  it('revokes the token immediately, for good and recorded once, also when two ask', async () => {
    const { app, context, present, row } = await prepare();
    await present();
    const both = await Promise.all([
      revokeOperatorToken(context, { token_id: row.id }),
      revokeOperatorToken(context, { token_id: row.id }),
    ]);
    expect(both.map(({ revoked_at }) => revoked_at)).toEqual(Array(2).fill('2026-03-01T12:00:00.000Z'));
    await expect(present()).rejects.toMatchObject({ code: 'credential_invalid' });
    expect(await listOperatorTokens(context)).toMatchObject([
      { id: row.id, revoked_at: both[0]?.revoked_at },
    ]);
    const events = app.db
      .selectFrom('audit_events')
      .selectAll()
      .where('action', '=', 'operator_token.revoke');
    expect(await events.execute()).toHaveLength(1);
  });

  it('refuses an unknown token', async () => {
    const { context } = await prepare();
    const unknown = revokeOperatorToken(context, { token_id: 'unknown' });
    await expect(unknown).rejects.toMatchObject({ code: 'credential_not_found' });
  });
});
