import { Trans, useLingui } from '@lingui/react/macro';
import { CopyButton } from '../../../components/copying/copy-button.tsx';
import { DottedName } from '../../../components/dotted-name.tsx';
import classes from './record-table.module.css';
import { relativeRecordName } from './relative-record-name.ts';

/** One record to set. */
export interface DnsRecord {
  name: string;
  type: string;
  value: string;
}

/**
 * Records as a person enters them at a DNS provider: name, type and value, each with a copy button if it is
 * long.
 */
export function RecordTable(props: {
  records: readonly DnsRecord[];
  registeredDomain: string | null;
  /** The table's label for assistive technology. */
  label: string;
}) {
  return (
    <ul className={classes.records} aria-label={props.label}>
      {props.records.map((record) => (
        <li key={`${record.type} ${record.value}`} className={classes.record}>
          <RecordFields record={record} registeredDomain={props.registeredDomain} />
        </li>
      ))}
    </ul>
  );
}

function RecordFields(props: { record: DnsRecord; registeredDomain: string | null }) {
  const { t } = useLingui();
  const { name, type, value } = props.record;
  const host = relativeRecordName(name, props.registeredDomain);
  return (
    <dl className={classes.fields}>
      <div>
        <dt>
          <Trans context="DNS record">Type</Trans>
        </dt>
        <dd className={classes.type}>{type}</dd>
      </div>
      <div>
        <dt>
          <Trans context="DNS record">Name</Trans>
        </dt>
        <dd>
          <NameWords name={name} host={host} />
          <CopyButton value={name} label={t`Copy the name`} />
        </dd>
        {host !== null && (
          <dd className={classes.host}>
            <span>
              <Trans>
                without the domain: <code>{host}</code>
              </Trans>
            </span>
            <CopyButton value={host} label={t`Copy the name without the domain`} />
          </dd>
        )}
      </div>
      <div>
        <dt>
          <Trans context="DNS record">Value</Trans>
        </dt>
        <dd>
          <code>
            <DottedName name={value} />
          </code>
          <CopyButton value={value} label={t`Copy the value`} />
        </dd>
      </div>
    </dl>
  );
}

/** The part that most providers add automatically is paler. */
function NameWords({ name, host }: { name: string; host: string | null }) {
  if (host === null || host === '@')
    return (
      <code>
        <DottedName name={name} />
      </code>
    );
  return (
    <code>
      <DottedName name={host} />
      <span className={classes.domain}>
        <DottedName name={name.slice(host.length)} />
      </span>
    </code>
  );
}
