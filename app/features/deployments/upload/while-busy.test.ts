import { describe, expect, it } from 'vitest';
import type { ErrorCode } from '#server/error-codes.ts';
import { apiErrorOf } from '../../../i18n/errors/api-error-of.ts';
import { PATIENCE_SECONDS, whileBusy } from './while-busy.ts';

const refused = (code: ErrorCode, params: Record<string, number> = {}) =>
  apiErrorOf({ code, message: '', params, fields: [], request_id: null });

function fails(times: number, error: Error) {
  const waits: number[] = [];
  let calls = 0;
  const response = whileBusy(
    async () => {
      calls += 1;
      if (calls <= times) throw error;
      return 'answer';
    },
    async (milliseconds) => {
      waits.push(milliseconds);
    },
  );
  return { answer: response, waits };
}

describe('a part that meets a busy server', () => {
  it('is sent again when the server says, and the deploy continues', async () => {
    const { answer: response, waits } = fails(3, refused('organization_busy', { seconds: 5 }));
    expect(await response).toBe('answer');
    expect(waits).toEqual([5000, 5000, 5000]);
  });

  it('is abandoned when the server never stops being busy', async () => {
    const { answer: response, waits } = fails(
      Number.POSITIVE_INFINITY,
      refused('too_many_requests', { seconds: 60 }),
    );
    await expect(response).rejects.toMatchObject({ shape: { code: 'too_many_requests' } });
    expect(waits).toHaveLength(PATIENCE_SECONDS / 60);
  });

  it('is not sent again when it was refused or the network failed', async () => {
    for (const error of [refused('limit_files'), new TypeError('offline')]) {
      const { answer: response, waits } = fails(1, error);
      await expect(response).rejects.toBe(error);
      expect(waits).toEqual([]);
    }
  });
});
