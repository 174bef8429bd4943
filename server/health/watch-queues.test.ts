import { expect, it } from 'vitest';
import { inTransaction } from '#db/transaction.ts';
import { queueMail } from '#server/services/mail/queue-mail.ts';
import { createTestApp } from '#tests/support/test-app.ts';
import { watchQueues } from './watch-queues.ts';

it('figures tell since when the oldest message waits, and nothing of certificates that are fine', async () => {
  const environment = { MAIL_URL: 'smtp://localhost:1', MAIL_FROM: 'portage@example.ca' };
  const app = await createTestApp({ environment });
  watchQueues(app);
  expect(await app.metrics.metrics()).toContain('\nportage_mail_oldest_seconds 0\n');
  await inTransaction(app.db, (trx) =>
    queueMail(trx, app, {
      recipient: 'ada@example.ca',
      message: { subject: 'x', text: 'x', html: 'x', languages: ['en-CA'] },
      resource_type: 'account',
      resource_id: '1',
    }),
  );
  app.clock.advance(90_000);
  const figures = await app.metrics.metrics();
  expect(figures).toContain('\nportage_mail_oldest_seconds 90\n');
  expect(figures).toContain('\nportage_certificates_failing 0\n');
  expect(figures).not.toMatch(/^portage_certificate_expires_seconds /m);
});
