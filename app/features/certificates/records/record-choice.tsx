import { Trans, useLingui } from '@lingui/react/macro';
import { Text } from '@mantine/core';
import { RecordTable } from './record-table.tsx';
import type { RecordsToSet } from './records-to-set.ts';

/** The record to set; if it can be an alias or addresses, both, and which of them to choose. */
export function RecordChoice(props: {
  toSet: RecordsToSet;
  registeredDomain: string | null;
  /** The first table's label for assistive technology. */
  label: string;
}) {
  const { t } = useLingui();
  const { toSet, registeredDomain, label } = props;
  const { records, addresses } = toSet;
  if (addresses.length === 0) {
    return <RecordTable records={records} registeredDomain={registeredDomain} label={label} />;
  }
  return (
    <>
      <Text size="sm">
        <Trans>
          If your DNS provider supports ALIAS or ANAME records (some call this CNAME flattening), add this
          one: it stays correct when addresses change.
        </Trans>
      </Text>
      <RecordTable records={records} registeredDomain={registeredDomain} label={label} />
      <Text size="sm">
        <Trans>If your provider does not support them, add the addresses:</Trans>
      </Text>
      <RecordTable records={addresses} registeredDomain={registeredDomain} label={t`Addresses to set`} />
    </>
  );
}
