import { plural } from '@lingui/core/macro';
import { Trans, useLingui } from '@lingui/react/macro';
import { Alert, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { DAY_MS } from '#server/durations.ts';
import type { Bundle } from '#server/services/certificates/schema.ts';
import { formatDate } from '#server/services/shared/date-rules.ts';
import { Facts } from '../../../components/facts.tsx';
import { isExpired } from '../badges/certificate-state-badge.tsx';
import { CertificateActionButton } from './certificate-action-button.tsx';
import { IssueProblem } from './issue-problem.tsx';
import { IssueSteps } from './issue-steps.tsx';
import { LocalAuthorityNote } from './local-authority-note.tsx';
import type { CertificateActions } from './use-certificate-actions.ts';

/**
 * The certificate is there: how long it is valid, who issued it, when it is renewed, and what prevents that.
 */
export function ActiveCertificate(props: { bundle: Bundle; actions: CertificateActions; now: number }) {
  const { t, i18n } = useLingui();
  const { bundle, actions, now } = props;
  const dateOf = (instant: string | null) => (instant === null ? '–' : formatDate(instant, i18n.locale));
  const date = dateOf(bundle.valid_until);
  const hasExpired = isExpired(bundle, now);
  const authority = bundle.authority === 'local' ? t`This installation` : bundle.authority;
  return (
    <>
      {hasExpired ? (
        <Text size="sm" fw={600}>
          <Trans>Expired on {date}: browsers warn everyone who visits over https.</Trans>
        </Text>
      ) : (
        <Text size="sm" fw={600}>
          <Trans>Valid until {date}</Trans>
        </Text>
      )}
      <Facts
        facts={[
          { name: t`Issued by`, value: authority },
          { name: t`Issued on`, value: dateOf(bundle.issued_at) },
          { name: t`Renews automatically`, value: dateOf(bundle.renew_at) },
        ]}
      />
      {bundle.step !== null ? <IssueSteps step={bundle.step} /> : <RenewalWarning {...props} />}
      {bundle.step === null && (bundle.problem !== null || hasExpired) && (
        <CertificateActionButton action="issue" actions={actions} variant={hasExpired ? 'filled' : 'default'}>
          <Trans>Issue certificate</Trans>
        </CertificateActionButton>
      )}
      <LocalAuthorityNote />
    </>
  );
}

/** What would prevent the next renewal, with the days left. Renders nothing when all is well. */
function RenewalWarning({ bundle, now }: { bundle: Bundle; now: number }) {
  const { t } = useLingui();
  const hasExpired = isExpired(bundle, now);
  const days = bundle.valid_until === null ? 0 : Math.floor((Date.parse(bundle.valid_until) - now) / DAY_MS);
  const left = t`${plural(days, { one: '# day left', other: '# days left' })}`;
  if (bundle.problem) {
    return (
      <IssueProblem
        bundle={bundle}
        color={hasExpired ? 'red' : 'yellow'}
        title={
          hasExpired ? (
            <Trans>The certificate could not be renewed</Trans>
          ) : (
            <Trans>The certificate could not be renewed yet: {left}</Trans>
          )
        }
      />
    );
  }
  if (bundle.dns_challenge_validated) return null;
  return (
    <Alert
      color={hasExpired ? 'red' : 'yellow'}
      role="note"
      icon={<IconAlertTriangle size={18} aria-hidden />}
      title={
        hasExpired ? (
          <Trans>It cannot be renewed yet</Trans>
        ) : (
          <Trans>The next renewal would fail: {left}</Trans>
        )
      }
    >
      <Text size="sm">
        <Trans>
          The challenge record is no longer in place. Add it again as shown under DNS records; you do not need
          to do anything else.
        </Trans>
      </Text>
    </Alert>
  );
}
