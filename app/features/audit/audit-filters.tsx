import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import { Trans, useLingui } from '@lingui/react/macro';
import { NativeSelect } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import {
  ACTOR_KINDS,
  type ActorKind,
  AUDIT_SUBJECTS,
  type AuditSubject,
} from '#server/services/audit/rules.ts';
import { DateField } from '../../components/dates/date-field.tsx';
import { ButtonLink } from '../../components/links.tsx';
import classes from './audit.module.css';
import { type AuditSearch, auditSearch } from './audit-search.ts';

const SUBJECT_NAMES: Record<AuditSubject, MessageDescriptor> = {
  site: msg`Sites`,
  deployment: msg`Deploys`,
  endpoint: msg`CDN endpoints`,
  certificate: msg`Certificates`,
  bucket: msg`Object storage`,
  credential: msg`Credentials`,
  webhook: msg`Webhooks`,
  member: msg`Members and invitations`,
  billing: msg`Billing`,
  organization: msg`Organization`,
};

const ACTOR_NAMES: Record<ActorKind, MessageDescriptor> = {
  person: msg`People`,
  credential: msg`Credentials`,
  operator: msg`Operators`,
  job: msg`The platform itself`,
};

/** Who, what and when; each change is a new address. A single person or resource is chosen from an event. */
export function AuditFilters({ organizationId, filter }: { organizationId: string; filter: AuditSearch }) {
  const { t, i18n } = useLingui();
  const navigate = useNavigate();
  const change = (changes: Record<string, string>) =>
    void navigate({
      to: '/$orgId/audit',
      params: { orgId: organizationId },
      search: auditSearch({ ...filter, ...changes }),
      replace: true,
      resetScroll: false,
    });
  return (
    <section aria-label={t`Filters`} className={classes.filters}>
      <NativeSelect
        label={t`Who`}
        value={filter.actor_kind ?? ''}
        onChange={(event) => change({ actor_kind: event.currentTarget.value })}
        data={[
          { value: '', label: t`Everyone` },
          ...ACTOR_KINDS.map((kind) => ({ value: kind, label: i18n._(ACTOR_NAMES[kind]) })),
        ]}
      />
      <NativeSelect
        label={t`What`}
        value={filter.subject ?? ''}
        onChange={(event) => change({ subject: event.currentTarget.value })}
        data={[
          { value: '', label: t`Everything` },
          ...AUDIT_SUBJECTS.map((subject) => ({ value: subject, label: i18n._(SUBJECT_NAMES[subject]) })),
        ]}
      />
      <DateField
        label={t`First day`}
        value={filter.start_date ?? ''}
        onChange={(day) => change({ start_date: day })}
      />
      <DateField
        label={t`Last day`}
        value={filter.end_date ?? ''}
        onChange={(day) => change({ end_date: day })}
      />
      {Object.keys(filter).length > 0 && (
        <ButtonLink
          to="/$orgId/audit"
          params={{ orgId: organizationId }}
          search={{}}
          variant="subtle"
          resetScroll={false}
        >
          <Trans>Show all events</Trans>
        </ButtonLink>
      )}
    </section>
  );
}
