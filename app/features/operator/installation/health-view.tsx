import { Plural, Trans, useLingui } from '@lingui/react/macro';
import { Stack, Text } from '@mantine/core';
import { TimeAgo } from '../../../components/dates/time-ago.tsx';
import { Facts } from '../../../components/facts.tsx';
import { SectionCard } from '../../../components/page/section-card.tsx';
import { formatBytes } from '../../../i18n/formats/format-bytes.ts';
import { trpc } from '../../../trpc.ts';
import { CERTIFICATE_PROBLEM_WORDS } from '../../certificates/card/certificate-problem-words.ts';
import classes from '../operator.module.css';
import { Answer, Nothing, REFRESH_MS } from './answer.tsx';
import { InstallationCards } from './installation-cards.tsx';
import { InstallationTraffic } from './installation-traffic.tsx';
import { ShortList } from './short-list.tsx';

/** What needs attention, and the installation in numbers; refreshed while the page is open. */
export function HealthView() {
  const stuck = trpc.operator.stuckWork.useQuery();
  const certificates = trpc.operator.certificates.useQuery();
  // Their lists are of any height, and would push down what was shown below them already.
  const areListsPending = stuck.isPending || certificates.isPending;
  return (
    <Stack gap="lg">
      <StuckWork />
      <Stack gap="lg" display={areListsPending ? 'none' : undefined}>
        <Certificates />
        <InstallationCards />
        <InstallationTraffic />
        <Numbers />
      </Stack>
    </Stack>
  );
}

/** Work that jobs could not do, with the reason and the next attempt. */
function StuckWork() {
  const { t } = useLingui();
  const stuck = trpc.operator.stuckWork.useQuery(undefined, { refetchInterval: REFRESH_MS });
  return (
    <SectionCard
      title={<Trans>Work that is stuck</Trans>}
      description={<Trans>It is retried automatically; fix the cause.</Trans>}
    >
      <Answer query={stuck}>
        {stuck.data?.length === 0 ? (
          <Nothing>
            <Trans>Nothing is stuck.</Trans>
          </Nothing>
        ) : (
          <ShortList
            label={t`Work that is stuck`}
            entries={stuck.data ?? []}
            keyOf={({ job, item }) => `${job} ${item ?? ''}`}
          >
            {({ job, item, attempts, error, first_failed_at: since }) => (
              <>
                <Text size="sm" fw={500} className={classes.words}>
                  {job}
                  {item !== null && ` · ${item}`}
                </Text>
                <Text size="sm" className={classes.words} lang="en">
                  {error}
                </Text>
                <Text size="xs" c="dimmed">
                  <Trans>
                    <Plural value={attempts} one="# attempt" other="# attempts" />, the first{' '}
                    <TimeAgo instant={since} />
                  </Trans>
                </Text>
              </>
            )}
          </ShortList>
        )}
      </Answer>
    </SectionCard>
  );
}

/** Certificates that could not be issued or renewed, the first to expire first. */
function Certificates() {
  const { t, i18n } = useLingui();
  const certificates = trpc.operator.certificates.useQuery(undefined, { refetchInterval: REFRESH_MS });
  const { platform = [], troubled = [] } = certificates.data ?? {};
  const wordsOf = (problem: string | null) => {
    const known = Object.entries(CERTIFICATE_PROBLEM_WORDS).find(([code]) => code === problem);
    return known ? i18n._(known[1].wrong) : problem;
  };
  const failing = [...platform.filter(({ problem }) => problem !== null), ...troubled];
  return (
    <SectionCard title={<Trans>Certificates with problems</Trans>}>
      <Answer query={certificates}>
        {failing.length === 0 ? (
          <Nothing>
            <Trans>Every certificate is fine.</Trans>
          </Nothing>
        ) : (
          <ShortList
            label={t`Certificates with problems`}
            entries={failing}
            keyOf={({ organization_id, domain_name }) => `${organization_id ?? ''} ${domain_name}`}
          >
            {(certificate) => (
              <>
                <Text size="sm" fw={500} className={classes.words}>
                  {certificate.domain_name}
                </Text>
                <Text size="sm" className={classes.words}>
                  {wordsOf(certificate.problem)}
                </Text>
                {certificate.detail !== null && (
                  <Text size="sm" c="dimmed" className={classes.words} lang="en">
                    {certificate.detail}
                  </Text>
                )}
                <Text size="xs" c="dimmed">
                  {certificate.valid_until === null ? (
                    <Trans>No certificate yet</Trans>
                  ) : (
                    <Trans>
                      Expires <TimeAgo instant={certificate.valid_until} />
                    </Trans>
                  )}
                </Text>
              </>
            )}
          </ShortList>
        )}
      </Answer>
    </SectionCard>
  );
}

function Numbers() {
  const { i18n, t } = useLingui();
  const number = (value: number) => i18n.number(value);
  const stats = trpc.operator.stats.useQuery(undefined, { refetchInterval: REFRESH_MS });
  const { data } = stats;
  return (
    <SectionCard title={<Trans>In numbers</Trans>}>
      <Answer query={stats}>
        {data && (
          <Facts
            facts={[
              { name: t`People`, value: number(data.people) },
              { name: t`Workspaces`, value: number(data.personal_organizations) },
              { name: t`Organizations`, value: number(data.named_organizations) },
              {
                name: t({ context: 'organizations', message: 'Suspended' }),
                value: number(data.suspended_organizations),
              },
              { name: t`Sites`, value: number(data.sites) },
              { name: t`Deploys in 24 hours`, value: number(data.deploys_last_day) },
              { name: t`Stored`, value: formatBytes(data.stored_bytes, i18n.locale) },
              { name: t`Sessions`, value: number(data.active_sessions) },
              { name: t`Emails waiting`, value: number(data.waiting_mails) },
              { name: t`Undelivered emails`, value: number(data.failed_mails) },
            ]}
          />
        )}
      </Answer>
    </SectionCard>
  );
}
