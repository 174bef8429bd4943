import { Trans, useLingui } from '@lingui/react/macro';
import { Anchor, Button, Group, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { AbuseReport } from '#server/services/abuse/schema.ts';
import { CopyButton } from '../../../components/copying/copy-button.tsx';
import { TimeAgo } from '../../../components/dates/time-ago.tsx';
import { AnchorLink } from '../../../components/links.tsx';
import { RowBadge } from '../../../components/lists/row-badge.tsx';
import { revealDirection } from '../../../i18n/reveal-direction.ts';
import { ABUSE_WORDS } from '../../abuse/abuse-words.ts';
import classes from '../operator.module.css';

/** Anyone can send a report: a long one must not push the others out of sight. */
const SHOWN_AT_FIRST = { letters: 320, lines: 4 };

function isLong(text: string): boolean {
  return text.length > SHOWN_AT_FIRST.letters || text.split('\n').length > SHOWN_AT_FIRST.lines;
}

/** One report. The address is not a link, because the page may be harmful. */
export function AbuseEntry({ report, actions }: { report: AbuseReport; actions: ReactNode }) {
  const { t, i18n } = useLingui();
  const { address, description, email, organization, site, version } = report;
  const [isWhole, setWhole] = useState(false);
  const clampOf = (text: string) => (isLong(text) && !isWhole ? { lineClamp: SHOWN_AT_FIRST.lines } : {});
  return (
    <li className={classes.row}>
      <div className={classes.name}>
        <Group gap={4} wrap="nowrap" align="flex-start">
          <Text size="sm" fw={500} className={classes.words} {...clampOf(address)}>
            {revealDirection(address)}
          </Text>
          <CopyButton value={address} label={t`Copy the address`} />
        </Group>
        <Text size="xs" c="dimmed" className={classes.words}>
          <RowBadge colour={report.kind === 'phishing' || report.kind === 'malware' ? 'red' : 'gray'}>
            {i18n._(ABUSE_WORDS[report.kind])}
          </RowBadge>{' '}
          {report.outcome === 'suspended' && (
            <RowBadge colour="lake">
              <Trans context="report">Suspended</Trans>
            </RowBadge>
          )}
          {report.outcome === 'dismissed' && (
            <RowBadge colour="gray">
              <Trans context="report">Dismissed</Trans>
            </RowBadge>
          )}{' '}
          <TimeAgo instant={report.created_at} />
          {email !== null && (
            <>
              {' · '}
              <Anchor href={`mailto:${email}`} size="xs" underline="always">
                {email}
              </Anchor>
            </>
          )}
        </Text>
        <Text
          size="sm"
          my={4}
          className={classes.words}
          style={{ whiteSpace: 'pre-line' }}
          {...clampOf(description)}
        >
          {revealDirection(description)}
        </Text>
        {(isLong(address) || isLong(description)) && (
          <Button
            variant="subtle"
            size="compact-sm"
            ml="calc(-1 * var(--button-padding-x-compact-sm))"
            mb={4}
            aria-expanded={isWhole}
            onClick={() => setWhole(!isWhole)}
          >
            {isWhole ? <Trans>Show less</Trans> : <Trans>Show more</Trans>}
          </Button>
        )}
        <Text size="xs" c="dimmed" className={classes.words}>
          {organization === null ? (
            <Trans>There was nothing at this address when it was reported.</Trans>
          ) : (
            <>
              <AnchorLink
                to="/operator"
                search={{ view: 'organizations', search: organization.name }}
                size="xs"
                underline="always"
              >
                {organization.name}
              </AnchorLink>
              {site && ` · ${site.name}`}
              {version && ` · #${version.number}`}
            </>
          )}
          {report.closed_by !== null && (
            <>
              {' · '}
              <Trans>decided by {report.closed_by}</Trans>
            </>
          )}
          {report.note !== null && ` · ${report.note}`}
        </Text>
      </div>
      {actions && <Group gap="xs">{actions}</Group>}
    </li>
  );
}
