import { Trans, useLingui } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import type { AuditAction } from '#server/services/audit/rules.ts';
import type { AuditEvent } from '#server/services/audit/schema.ts';
import { AnchorLink } from '../../components/links.tsx';

interface Words {
  who: ReactNode;
  what: ReactNode;
  /** The number of a version, if the event is about one. */
  number: string;
  /** The invited person's address; null when there is none or the reader may not see it. */
  email: string | null;
}

/** An event as a sentence, with links to what still exists. */
export function AuditSentence({ event, organizationId }: { event: AuditEvent; organizationId: string }) {
  const { action, after, before } = event;
  const who = <Who actor={event.actor} />;
  const what = <Resource event={event} organizationId={organizationId} />;
  const number = String(after?.number ?? before?.number ?? '');
  const email = typeof after?.email === 'string' ? after.email : null;
  if (isKnown(action)) return SENTENCES[action]({ who, what, number, email });
  return (
    <Trans>
      {who} changed {what} ({action}).
    </Trans>
  );
}

/** Names a person, or the other kind of actor. */
function Who({ actor: { kind, name } }: { actor: AuditEvent['actor'] }) {
  const { t } = useLingui();
  switch (kind) {
    case 'job':
      return <b>{t`The platform`}</b>;
    case 'operator':
      return <b>{t`The operator`}</b>;
    case 'credential':
      return <b>{t`The credential ${name}`}</b>;
    default:
      return <b>{name}</b>;
  }
}

/** Names a resource, with a link to its events. */
function Resource({ event, organizationId }: { event: AuditEvent; organizationId: string }) {
  const { type, id, name, exists } = event.resource;
  const orgId = organizationId;
  if (exists && type === 'site') {
    return (
      <AnchorLink to="/$orgId/sites/$siteId" params={{ orgId, siteId: id }} size="sm" underline="always">
        {name}
      </AnchorLink>
    );
  }
  if (exists && type === 'endpoint') {
    return (
      <AnchorLink
        to="/$orgId/endpoints/$endpointId"
        params={{ orgId, endpointId: id }}
        size="sm"
        underline="always"
      >
        {name}
      </AnchorLink>
    );
  }
  return <b>{name ?? id}</b>;
}

function isKnown(action: string): action is AuditAction {
  return Object.hasOwn(SENTENCES, action);
}

/** Exhaustive by type: an action of the log without a sentence does not compile. */
const SENTENCES: Record<AuditAction, (words: Words) => ReactNode> = {
  'site.create': ({ who, what }) => (
    <Trans>
      {who} created the site {what}.
    </Trans>
  ),
  'site.update': ({ who, what }) => (
    <Trans>
      {who} changed the settings of the site {what}.
    </Trans>
  ),
  'site.delete': ({ who, what }) => (
    <Trans>
      {who} deleted the site {what}.
    </Trans>
  ),
  'site.restore': ({ who, what }) => (
    <Trans>
      {who} restored the deleted site {what}.
    </Trans>
  ),
  'site.publisher_add': ({ who, what }) => (
    <Trans>
      {who} allowed a repository to deploy to the site {what}.
    </Trans>
  ),
  'site.publisher_remove': ({ who, what }) => (
    <Trans>
      {who} stopped a repository from deploying to the site {what}.
    </Trans>
  ),
  'site.suspend': ({ who, what }) => (
    <Trans>
      {who} suspended the site {what}.
    </Trans>
  ),
  'site.resume': ({ who, what }) => (
    <Trans>
      {who} lifted the suspension of the site {what}.
    </Trans>
  ),
  'webhook.create': ({ who, what }) => (
    <Trans>
      {who} created the webhook to {what}.
    </Trans>
  ),
  'webhook.update': ({ who, what }) => (
    <Trans>
      {who} changed the webhook to {what}.
    </Trans>
  ),
  'webhook.rotate': ({ who, what }) => (
    <Trans>
      {who} replaced the secret of the webhook to {what}.
    </Trans>
  ),
  'webhook.test': ({ who, what }) => (
    <Trans>
      {who} sent a test event to the webhook {what}.
    </Trans>
  ),
  'webhook.redeliver': ({ who, what }) => (
    <Trans>
      {who} redelivered an event to the webhook {what}.
    </Trans>
  ),
  'webhook.pause': ({ what }) => <Trans>The webhook to {what} was paused.</Trans>,
  'webhook.delete': ({ who, what }) => (
    <Trans>
      {who} deleted the webhook to {what}.
    </Trans>
  ),
  'site.purge': ({ who, what }) => (
    <Trans>
      {who} removed the deleted site {what} for good.
    </Trans>
  ),
  'version.open': ({ who, what, number }) => (
    <Trans>
      {who} started version {number} of the site {what}.
    </Trans>
  ),
  'version.files': ({ who, what }) => (
    <Trans>
      {who} added files to an open version of the site {what}.
    </Trans>
  ),
  'version.seal': ({ who, what, number }) => (
    <Trans>
      {who} deployed version {number} of the site {what}.
    </Trans>
  ),
  'version.publish': ({ who, what, number }) => (
    <Trans>
      {who} published version {number} of the site {what}.
    </Trans>
  ),
  'version.cancel': ({ who, what, number }) => (
    <Trans>
      {who} discarded the open version {number} of the site {what}.
    </Trans>
  ),
  'version.expire': ({ who, what, number }) => (
    <Trans>
      {who} discarded version {number} of the site {what}, which was never finished.
    </Trans>
  ),
  'version.suspend': ({ who, what, number }) => (
    <Trans>
      {who} suspended version {number} of the site {what}.
    </Trans>
  ),
  'version.resume': ({ who, what, number }) => (
    <Trans>
      {who} lifted the suspension of version {number} of the site {what}.
    </Trans>
  ),
  'version.remove': ({ who, what }) => (
    <Trans>
      {who} removed old versions of the site {what}.
    </Trans>
  ),
  'site.rollback': ({ who, what, number }) => (
    <Trans>
      {who} rolled the site {what} back to version {number}.
    </Trans>
  ),
  'endpoint.create': ({ who, what }) => (
    <Trans>
      {who} created the CDN endpoint {what}.
    </Trans>
  ),
  'endpoint.update': ({ who, what }) => (
    <Trans>
      {who} changed the CDN endpoint {what}.
    </Trans>
  ),
  'endpoint.delete': ({ who, what }) => (
    <Trans>
      {who} deleted the CDN endpoint {what}.
    </Trans>
  ),
  'endpoint.expire': ({ who, what }) => (
    <Trans>
      {who} removed the CDN endpoint {what}, whose hostname points elsewhere.
    </Trans>
  ),
  'endpoint.supersede': ({ who, what }) => (
    <Trans>
      {who} took over the hostname {what}.
    </Trans>
  ),
  'certificate.create': ({ who, what }) => (
    <Trans>
      {who} requested a certificate for {what}.
    </Trans>
  ),
  'certificate.validate': ({ who, what }) => (
    <Trans>
      {who} checked the DNS records of {what}.
    </Trans>
  ),
  'certificate.issue': ({ who, what }) => (
    <Trans>
      {who} obtained the certificate of {what}.
    </Trans>
  ),
  'certificate.renew': ({ who, what }) => (
    <Trans>
      {who} renewed the certificate of {what}.
    </Trans>
  ),
  'bucket.create': ({ who, what }) => (
    <Trans>
      {who} created the bucket {what}.
    </Trans>
  ),
  'bucket.update': ({ who, what }) => (
    <Trans>
      {who} changed which websites may use the bucket {what}.
    </Trans>
  ),
  'bucket.publish': ({ who, what }) => (
    <Trans>
      {who} made the objects in the bucket {what} public.
    </Trans>
  ),
  'bucket.unpublish': ({ who, what }) => (
    <Trans>
      {who} made the objects in the bucket {what} private.
    </Trans>
  ),
  'bucket.empty': ({ who, what }) => (
    <Trans>
      {who} started emptying the bucket {what}.
    </Trans>
  ),
  'bucket.empty_stop': ({ who, what }) => (
    <Trans>
      {who} stopped emptying the bucket {what}.
    </Trans>
  ),
  'bucket.remove_objects': ({ who, what }) => (
    <Trans>
      {who} deleted objects from the bucket {what}.
    </Trans>
  ),
  'bucket.abandon_upload': ({ who, what }) => (
    <Trans>
      {who} abandoned an unfinished upload to the bucket {what}.
    </Trans>
  ),
  'bucket.abandon_uploads': ({ who, what }) => (
    <Trans>
      {who} abandoned the old unfinished uploads to the bucket {what}.
    </Trans>
  ),
  'bucket.share_object': ({ who, what }) => (
    <Trans>
      {who} created a link to an object in the bucket {what}.
    </Trans>
  ),
  'bucket.delete': ({ who, what }) => (
    <Trans>
      {who} deleted the bucket {what}.
    </Trans>
  ),
  'bucket.purge': ({ who, what }) => (
    <Trans>
      {who} removed the content of the deleted bucket {what}.
    </Trans>
  ),
  'credential.create': ({ who, what }) => (
    <Trans>
      {who} created the credential {what}.
    </Trans>
  ),
  'credential.scopes': ({ who, what }) => (
    <Trans>
      {who} changed the scopes of the credential {what}.
    </Trans>
  ),
  'credential.delete': ({ who, what }) => (
    <Trans>
      {who} deleted the credential {what}.
    </Trans>
  ),
  'member.add': ({ who, what }) => (
    <Trans>
      {who} added {what} to the organization.
    </Trans>
  ),
  'member.update': ({ who, what }) => (
    <Trans>
      {who} changed the permission of {what}.
    </Trans>
  ),
  'member.remove': ({ who, what }) => (
    <Trans>
      {who} removed {what} from the organization.
    </Trans>
  ),
  'member.leave': ({ who }) => <Trans>{who} left the organization.</Trans>,
  'member.set': ({ who, what }) => (
    <Trans>
      {who} set the permission of {what}.
    </Trans>
  ),
  'invitation.create': ({ who, email }) =>
    email === null ? (
      <Trans>{who} created an invitation.</Trans>
    ) : (
      <Trans>
        {who} invited {email}.
      </Trans>
    ),
  'invitation.accept': ({ who }) => <Trans>{who} accepted an invitation and joined.</Trans>,
  'invitation.revoke': ({ who }) => <Trans>{who} revoked an invitation.</Trans>,
  'billing.setup': ({ who }) => <Trans>{who} set up billing.</Trans>,
  'billing.contact': ({ who }) => <Trans>{who} changed the billing contact.</Trans>,
  'payment_method.begin': ({ who }) => <Trans>{who} started adding a payment method.</Trans>,
  'payment_method.add': ({ who }) => <Trans>{who} added a payment method.</Trans>,
  'payment_method.default': ({ who }) => <Trans>{who} chose another default payment method.</Trans>,
  'payment_method.remove': ({ who }) => <Trans>{who} removed a payment method.</Trans>,
  'invoice.issue': ({ who }) => <Trans>{who} issued an invoice.</Trans>,
  'invoice.paid': ({ who }) => <Trans>{who} recorded the payment of an invoice.</Trans>,
  'invoice.void': ({ who }) => <Trans>{who} voided an invoice.</Trans>,
  'invoice.credit': ({ who }) => <Trans>{who} credited part of an invoice.</Trans>,
  'invoice.credit_refused': ({ who }) => (
    <Trans>{who} could not credit part of an invoice: the payment provider refused.</Trans>
  ),
  'invoice.refund': ({ who }) => <Trans>{who} noted a refund of an invoice.</Trans>,
  'invoice.refund_rejected': ({ who }) => (
    <Trans>{who} noted that a bank rejected a refund of an invoice.</Trans>
  ),
  'invoice.repaid': ({ who }) => (
    <Trans>{who} gave back by other means what a bank had rejected of a refund.</Trans>
  ),
  'invoice.dispute': ({ who }) => <Trans>{who} noted a dispute about the payment of an invoice.</Trans>,
  'invoice.resend': ({ who }) => <Trans>{who} sent an invoice again.</Trans>,
  'invoice.link': ({ who }) => <Trans>{who} made a link to an invoice.</Trans>,
  'spending_limit.set': ({ who }) => <Trans>{who} set a spending limit.</Trans>,
  'spending_limit.remove': ({ who }) => <Trans>{who} removed a spending limit.</Trans>,
  'spending_limit.reach': ({ who }) => <Trans>{who} stopped serving: a spending limit was reached.</Trans>,
  'organization.create': ({ who }) => <Trans>{who} created the organization.</Trans>,
  'organization.update': ({ who }) => <Trans>{who} changed the profile of the organization.</Trans>,
  'organization.delete': ({ who }) => <Trans>{who} deleted the organization.</Trans>,
  'organization.attach': ({ who }) => (
    <Trans>{who} reconnected the organization to its identity service.</Trans>
  ),
  'organization.detach': ({ who }) => (
    <Trans>{who} disconnected the organization, which no longer exists in its identity service.</Trans>
  ),
  'organization.features': ({ who }) => <Trans>{who} changed the features of the organization.</Trans>,
  'organization.limits': ({ who }) => <Trans>{who} changed the limits of the organization.</Trans>,
  'organization.suspend': ({ who }) => <Trans>{who} suspended the organization.</Trans>,
  'organization.resume': ({ who }) => <Trans>{who} lifted the suspension of the organization.</Trans>,
};
