import { Plural, Trans, useLingui } from '@lingui/react/macro';
import { Text } from '@mantine/core';
import type { UsageTotals } from '#server/services/usage/schema.ts';
import { formatBytes } from '../../i18n/formats/format-bytes.ts';
import classes from './usage-notes.module.css';

/** What the numbers mean; requests refused during a suspension are mentioned only if there are some. */
export function UsageNotes({ summary }: { summary: UsageTotals }) {
  const { i18n } = useLingui();
  const refused = summary.total_refused_requests;
  const bytes = formatBytes(summary.total_refused_bytes_sent, i18n.locale);
  return (
    <Text component="div" size="xs" c="dimmed" className={classes.notes}>
      {refused > 0 && (
        <p className={classes.refused}>
          <Plural
            value={refused}
            one={`# request (${bytes}) was refused while a spending limit or a suspension stopped serving. It is in none of these figures and is not billed.`}
            other={`# requests (${bytes}) were refused while a spending limit or a suspension stopped serving. They are in none of these figures and are not billed.`}
          />
        </p>
      )}
      <p>
        <Trans>
          Figures are seconds old and days are UTC. Bandwidth is what was sent on the wire: headers and
          bodies, without TLS.
        </Trans>
      </p>
    </Text>
  );
}
