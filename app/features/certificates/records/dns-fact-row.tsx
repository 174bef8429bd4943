import { Trans, useLingui } from '@lingui/react/macro';
import { Loader, Text } from '@mantine/core';
import {
  type Icon,
  IconAlertTriangleFilled,
  IconArrowsExchange,
  IconCircleCheckFilled,
  IconCircleXFilled,
  IconHelpCircleFilled,
} from '@tabler/icons-react';
import type { DnsProblem } from '#server/services/certificates/rules.ts';
import type { DnsFact } from '#server/services/certificates/schema.ts';
import classes from './dns-checklist.module.css';
import { dnsProblemWords } from './dns-problem-words.ts';
import type { ShownFact } from './facts-to-show.ts';
import { RecordChoice } from './record-choice.tsx';
import { expectedRecords, recordsToSet, rightRecords } from './records-to-set.ts';
import { SafeToSwitch } from './safe-to-switch.tsx';

const ICONS: Record<DnsFact['status'], Icon> = {
  ok: IconCircleCheckFilled,
  missing: IconAlertTriangleFilled,
  wrong: IconCircleXFilled,
  unknown: IconHelpCircleFilled,
};

/** Another server serves the visitors. */
const ELSEWHERE: ReadonlySet<DnsProblem> = new Set<DnsProblem>([
  'points_elsewhere',
  'apex_elsewhere',
  'proxied',
]);

/** One fact of the checklist: how it stands in an icon and in words, the record where it is to be set, and what was found. */
export function DnsFactRow(props: {
  fact: ShownFact;
  registeredDomain: string | null;
  isIssued: boolean;
  /** Traffic may be brought here now: what stands there is no mistake. */
  isSafe: boolean;
}) {
  const { t, i18n } = useLingui();
  const { fact, registeredDomain, isIssued, isSafe } = props;
  const { status } = fact;
  const titles: Record<DnsFact['fact'], string> = {
    traffic: t`Traffic`,
    challenge: t`Certificate challenge`,
    caa: t`Who may issue (CAA)`,
  };
  const words: Record<ShownFact['status'], string> = {
    ok: t({ context: 'DNS record', message: 'Correct' }),
    missing: t({ context: 'DNS record', message: 'Missing' }),
    wrong: t({ context: 'DNS record', message: 'Wrong' }),
    unknown: t({ context: 'DNS record', message: 'Unknown' }),
    checking: t({ context: 'DNS record', message: 'Checking…' }),
  };
  const known = status === 'checking' ? null : { ...fact, status };
  const problem = known && !isSafe ? dnsProblemWords(known, registeredDomain) : null;
  const isUnrestricted = fact.fact === 'caa' && status === 'ok' && fact.found.length === 0;
  const toSet = known && (isSafe ? rightRecords(known) : recordsToSet(known));
  const isTrafficElsewhere = fact.problem !== null && ELSEWHERE.has(fact.problem);
  // Traffic may stay where it is until the certificate is there, and after that until it suits.
  const isNoHurry = isTrafficElsewhere && fact.fact === 'traffic' && !isIssued;
  const look = isSafe ? 'safe' : isNoHurry ? 'missing' : status;
  const label = fact.fact === 'challenge' ? t`CNAME record of the challenge` : t`Record to set`;
  return (
    <li className={classes.fact} data-status={look} data-problem={isSafe ? undefined : fact.problem}>
      <StatusIcon status={look} />
      {/* That it is safe now is what people wait for. */}
      <div className={classes.body} role={isSafe ? 'status' : undefined}>
        <div className={classes.head}>
          <strong>{titles[fact.fact]}</strong>
          <span className={classes.status}>{isSafe ? <Trans>Safe to switch</Trans> : words[status]}</span>
        </div>
        {!toSet && <code className={classes.name}>{fact.name}</code>}
        {known && isSafe && <SafeToSwitch status={known.status} />}
        {problem && (
          <Text size="sm" mt={6} style={{ overflowWrap: 'anywhere' }}>
            {i18n._(problem.wrong)} {!isNoHurry && i18n._(problem.next)}
          </Text>
        )}
        {known?.status === 'unknown' && problem === null && (
          <Text size="sm" mt={6}>
            <Trans>The lookup failed. We will try again automatically.</Trans>
          </Text>
        )}
        {isUnrestricted && (
          <Text size="sm" mt={6}>
            <Trans>No record prevents a certificate from being issued.</Trans>
          </Text>
        )}
        {isNoHurry && (
          <Text size="sm" mt={6}>
            <Trans>Leave it until the certificate is ready; then you switch without interruption.</Trans>
          </Text>
        )}
        {toSet && (
          <div className={classes.toSet}>
            <RecordChoice
              toSet={toSet}
              registeredDomain={registeredDomain}
              label={isSafe ? t`Record to change` : label}
            />
          </div>
        )}
        {!isUnrestricted && <FoundAndExpected fact={fact} isExpectedShown={toSet !== null} />}
      </div>
    </li>
  );
}

/** What is there; what should be only where no record above says it already. */
function FoundAndExpected({ fact, isExpectedShown }: { fact: ShownFact; isExpectedShown: boolean }) {
  const { t } = useLingui();
  const { expected, found, status } = fact;
  const isExpectedSaid = isExpectedShown || status === 'ok' || expected.length === 0;
  const values = [
    ...(isExpectedSaid
      ? []
      : [{ name: t`Expected`, lines: expectedRecords(fact).map(({ type, value }) => `${type} ${value}`) }]),
    ...(status === 'checking' ? [] : [{ name: t`Found`, lines: found }]),
  ];
  return (
    <dl className={classes.values}>
      {values.map(({ name, lines }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            {lines.length === 0 && <Trans context="DNS record">nothing</Trans>}
            {lines.map((line) => (
              <code key={line}>{line}</code>
            ))}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function StatusIcon({ status }: { status: ShownFact['status'] | 'safe' }) {
  if (status === 'checking') return <Loader size={18} color="gray" aria-hidden />;
  const StatusMark = status === 'safe' ? IconArrowsExchange : ICONS[status];
  return <StatusMark size={20} className={classes.icon} aria-hidden />;
}
