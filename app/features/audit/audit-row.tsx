import { Trans, useLingui } from '@lingui/react/macro';
import { Text } from '@mantine/core';
import { useId } from 'react';
import type { AuditEvent } from '#server/services/audit/schema.ts';
import { formatDate } from '#server/services/shared/date-rules.ts';
import { TimeAgo } from '../../components/dates/time-ago.tsx';
import { Facts } from '../../components/facts.tsx';
import { AnchorLink } from '../../components/links.tsx';
import { revealDirection } from '../../i18n/reveal-direction.ts';
import { idParam } from '../../search-params.ts';
import classes from './audit.module.css';
import { AuditSentence } from './audit-sentence.tsx';

/** One event as a sentence; once opened, it shows what changed, from where, and related events. */
export function AuditRow({ event, organizationId }: { event: AuditEvent; organizationId: string }) {
  const [sentenceId, detailsId] = [useId(), useId()];
  return (
    <li className={classes.row}>
      <div className={classes.head}>
        <Text size="sm" component="div" className={classes.sentence} id={sentenceId}>
          <AuditSentence event={event} organizationId={organizationId} />
        </Text>
        <Text size="xs" c="dimmed" component="div" className={classes.time}>
          <TimeAgo instant={event.at} />
        </Text>
      </div>
      <details className={classes.details}>
        {/* There is one in each row. */}
        <summary id={detailsId} aria-labelledby={`${detailsId} ${sentenceId}`}>
          <Trans>Details</Trans>
        </summary>
        <Details event={event} organizationId={organizationId} />
      </details>
    </li>
  );
}

function Details({ event, organizationId }: { event: AuditEvent; organizationId: string }) {
  const { t, i18n } = useLingui();
  const { before, after, address, actor, resource } = event;
  const { name } = actor;
  const fields = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  const exact = formatDate(event.at, i18n.locale, { dateStyle: 'long', timeStyle: 'medium' });
  const facts = [
    { name: t`When`, value: `${exact} UTC` },
    { name: t`Action`, value: event.action },
    ...(actor.kind === 'operator' ? [{ name: t`Operator`, value: actor.name }] : []),
    ...(actor.kind === 'job' ? [{ name: t`Process`, value: actor.name }] : []),
    ...(address === null ? [] : [{ name: t`Address`, value: address }]),
    ...(event.request_id === null ? [] : [{ name: t`Request`, value: event.request_id }]),
  ];
  return (
    <div className={classes.opened}>
      <Facts facts={facts} />
      {fields.length > 0 && (
        <div className={classes.changes}>
          <table>
            <thead>
              <tr>
                <th scope="col">{t`Field`}</th>
                <th scope="col">{t`Before`}</th>
                <th scope="col">{t`After`}</th>
              </tr>
            </thead>
            <tbody>
              {fields.map((field) => (
                <tr key={field}>
                  <th scope="row">{field}</th>
                  <td>{toText(before?.[field])}</td>
                  <td>{toText(after?.[field])}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      <div className={classes.more}>
        {actor.id !== null && (
          <AnchorLink
            to="/$orgId/audit"
            params={{ orgId: organizationId }}
            search={{ actor_id: actor.id }}
            size="sm"
            underline="always"
          >
            <Trans>Only what {name} did</Trans>
          </AnchorLink>
        )}
        {/* Where no resource is left, a hostname stands in its place. */}
        {idParam(resource.id) !== undefined && (
          <AnchorLink
            to="/$orgId/audit"
            params={{ orgId: organizationId }}
            search={{ resource_id: resource.id }}
            size="sm"
            underline="always"
          >
            <Trans>Everything about this resource</Trans>
          </AnchorLink>
        )}
      </div>
    </div>
  );
}

function toText(value: unknown): string {
  if (value === undefined || value === null) return '–';
  return revealDirection(typeof value === 'string' ? value : JSON.stringify(value));
}
