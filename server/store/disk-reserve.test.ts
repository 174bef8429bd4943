import { join } from 'node:path';
import { expect, it } from 'vitest';
import { DiskReserve } from './disk-reserve.ts';

it('the room on a disk that is no longer mounted is that of a service that is unavailable', async () => {
  const reserve = new DiskReserve(join(import.meta.dirname, 'gone'));
  await expect(reserve.requireRoom(1)).rejects.toMatchObject({ code: 'service_unavailable' });
  await expect(reserve.take(1)).rejects.toMatchObject({ code: 'service_unavailable' });
});
