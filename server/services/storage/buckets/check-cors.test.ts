import { describe, expect, it } from 'vitest';
import { createTestPerson } from '#tests/support/app/test-person.ts';
import { withBucket } from '#tests/support/storage/buckets.ts';
import { checkCors } from './check-cors.ts';
import { updateBucket } from './update-bucket.ts';

async function prepare() {
  const { app, context, bucketId } = await withBucket('pictures');
  const ask = (changes: object = {}) =>
    checkCors(context, { bucket_id: bucketId, origin: 'https://example.ca', method: 'GET', ...changes });
  return { app, context, bucketId, ask };
}

describe('checkCors', () => {
  it('returns the response headers when the rules allow it', async () => {
    const { context, bucketId, ask } = await prepare();
    const cors = { cors_enabled: true, cors_origins: ['https://example.ca'] };
    await updateBucket(context, { bucket_id: bucketId, ...cors });
    expect(await ask({ headers: 'Content-Type, x-amz-meta-a,' })).toEqual({
      is_allowed: true,
      refused_part: null,
      answer_headers: expect.objectContaining({
        'access-control-allow-origin': 'https://example.ca',
        'access-control-allow-headers': 'content-type, x-amz-meta-a',
      }),
    });
  });

  it('says what no rule allows, by the closest one', async () => {
    const { app, bucketId, ask } = await prepare();
    const refused = (refused_part: string) => ({ is_allowed: false, refused_part, answer_headers: {} });
    expect(await ask()).toEqual(refused('rules'));
    const rule = { allowedMethods: ['GET'], allowedHeaders: ['x-amz-*'], exposeHeaders: [] };
    const rules = [
      { ...rule, allowedOrigins: ['https://other.example'] },
      { ...rule, allowedOrigins: ['https://*.ca'] },
    ];
    await app.db
      .updateTable('buckets')
      .set({ cors_rules: JSON.stringify(rules) })
      .where('id', '=', bucketId)
      .execute();
    expect(await ask({ origin: 'https://example.com' })).toEqual(refused('origin'));
    expect(await ask({ method: 'PUT' })).toEqual(refused('method'));
    expect(await ask({ headers: 'x-amz-meta-a, content-type' })).toEqual(refused('headers'));
    expect(await ask({ headers: 'x-amz-meta-a' })).toMatchObject({ is_allowed: true });
  });

  it.each([
    [{ origin: '*' }],
    [{ origin: 'https://example.ca/path' }],
    [{ origin: 'ftp://example.ca' }],
    [{ method: 'TRACE' }],
    [{ headers: 'a\r\nb: c' }],
    [{ headers: 'x'.repeat(1_001) }],
  ])('rejects %j, which no browser sends', async (changes) => {
    const { ask } = await prepare();
    await expect(ask(changes)).rejects.toMatchObject({ name: 'ZodError' });
  });

  it('is for the organization that has the bucket and the feature', async () => {
    const { app, context, bucketId } = await prepare();
    const { context: stranger } = await createTestPerson(app);
    const input = { bucket_id: bucketId, origin: 'https://example.ca', method: 'GET' } as const;
    await expect(checkCors(stranger, input)).rejects.toMatchObject({ code: 'bucket_not_found' });
    const without = { ...context, organization: { ...context.organization, features: [] } };
    await expect(checkCors(without, input)).rejects.toMatchObject({ code: 'feature_missing' });
  });
});
