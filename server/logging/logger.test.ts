import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { createLogger } from './logger.ts';

function logged(fields: Record<string, unknown>): string {
  let text = '';
  const destination = new Writable({
    write(chunk, _encoding, done) {
      text += String(chunk);
      done();
    },
  });
  createLogger('info', destination).info(fields, 'happened');
  return text;
}

describe('the log', () => {
  it('keeps out what grants access: secrets by their names, and the tokens of links', () => {
    for (const fields of [
      { password: 'hush-hush' },
      { headers: { cookie: 'hush-hush' } },
      { path: '/identity/invitations/hush-hush' },
      { path: '/api/v1/invitations/hush-hush/accept' },
    ]) {
      const line = logged(fields);
      expect(line).toContain('[removed]');
      expect(line).not.toContain('hush-hush');
    }
  });

  it('keeps every other address as it is', () => {
    expect(logged({ path: '/api/v1/sites/01k' })).toContain('"path":"/api/v1/sites/01k"');
  });
});
