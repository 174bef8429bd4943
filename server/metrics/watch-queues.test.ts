import { expect, it } from 'vitest';
import { inTransaction } from '#db/transaction.ts';
import { queueMail } from '#server/services/mail/queue-mail.ts';
import { createSite } from '#server/services/sites/create-site.ts';
import { deployTestFiles } from '#tests/support/app/deploy.ts';
import { createTestApp } from '#tests/support/app/test-app.ts';
import { createTestPerson } from '#tests/support/app/test-person.ts';
import { watchQueues } from './watch-queues.ts';

it('metrics say how long the oldest message has waited, and nothing about healthy certificates', async () => {
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

it('metrics say since when the first item in each queue has been due', async () => {
  const app = await createTestApp();
  watchQueues(app);
  const { context } = await createTestPerson(app);
  const site = await createSite(context, { name: 'waiting' });
  await deployTestFiles(context, site.id, { 'index.html': 'x'.repeat(2_000) });
  app.clock.advance(40_000);
  const figures = await app.metrics.metrics();
  expect(figures).toContain('portage_queue_oldest_seconds{queue="encoded_copies"} 40\n');
  for (const queue of ['certificates', 'payment_events', 'bucket_emptyings'])
    expect(figures).toContain(`portage_queue_oldest_seconds{queue="${queue}"} 0\n`);
});
