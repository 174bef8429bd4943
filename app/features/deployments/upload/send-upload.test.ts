import { describe, expect, it } from 'vitest';
import { toApiError } from './send-upload.ts';

describe('toApiError', () => {
  it('extracts the code and its parameters from a problem document', () => {
    const problem = {
      code: 'hash_mismatch',
      detail: 'no',
      request_id: 'r1',
      params: { path: 'a.css' },
      errors: [],
    };
    expect(toApiError(JSON.stringify(problem)).shape).toEqual({
      code: 'hash_mismatch',
      message: 'no',
      params: { path: 'a.css' },
      fields: [],
      request_id: 'r1',
    });
  });

  it('treats anything else as a failure on the server side', () => {
    expect(toApiError('<html>bad gateway</html>').shape.code).toBe('internal');
    expect(toApiError(JSON.stringify({ code: 'from_the_future' })).shape.code).toBe('internal');
  });
});
