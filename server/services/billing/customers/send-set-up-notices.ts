import { inTransaction } from '#db/transaction.ts';
import type { RequestContext } from '#server/context.ts';
import { queueMail } from '../../mail/queue-mail.ts';
import { findAdministrators } from '../../organizations/members/find-administrators.ts';
import { workThrough } from '../../stuck-work/work-through.ts';
import { composeSetUpNotice } from './compose-set-up-notice.ts';

/** Notifies the people who manage an organization that must set up billing, once. */
export async function sendSetUpNotices({ app }: RequestContext, stopping?: AbortSignal): Promise<number> {
  const { payments, db } = app;
  if (!payments) return 0;
  const { mode } = payments;
  return workThrough(app, {
    job: 'send-set-up-notices',
    list: (after, limit) =>
      db
        .selectFrom('billing_notices')
        .innerJoin('organizations', 'organizations.id', 'billing_notices.organization_id')
        .select(['billing_notices.organization_id', 'billing_notices.due_at', 'organizations.name'])
        .where('billing_notices.mode', '=', mode)
        .where('billing_notices.told_at', 'is', null)
        .where('billing_notices.organization_id', '>', after)
        .orderBy('billing_notices.organization_id')
        .limit(limit)
        .execute(),
    nameOf: ({ organization_id }) => organization_id,
    work: ({ organization_id, due_at, name }) =>
      inTransaction(db, async (trx) => {
        const { numUpdatedRows } = await trx
          .updateTable('billing_notices')
          .set({ told_at: app.clock.now() })
          .where('organization_id', '=', organization_id)
          .where('mode', '=', mode)
          .where('told_at', 'is', null)
          .executeTakeFirst();
        if (numUpdatedRows === 0n) return false;
        const link = `${app.config.publicUrl}/${organization_id}/billing`;
        for (const { email, language } of await findAdministrators(trx, organization_id)) {
          await queueMail(trx, app, {
            recipient: email,
            message: composeSetUpNotice(app, language, { organizationName: name, dueAt: due_at, link }),
            resource_type: 'billing',
            resource_id: organization_id,
          });
        }
        return true;
      }),
    stopping,
  });
}
