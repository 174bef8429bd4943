import { expect, it } from 'vitest';
import { signingKey, signingKeyOf } from './signing-key.ts';

it('a kept key is that of its day, region and secret, whichever was asked for before', () => {
  const one = { secretKey: 'one' };
  const other = { secretKey: 'other' };
  const today = { day: '20261125', region: 'qc-south-1' };
  const elsewhere = { ...today, region: 'us-east-1' };
  const tomorrow = { ...today, day: '20261126' };
  for (const scope of [today, today, elsewhere, tomorrow, today]) {
    for (const holder of [one, other]) {
      const kept = signingKeyOf(holder, scope).export();
      expect(kept).toEqual(signingKey(holder.secretKey, scope).export());
    }
  }
});
