import { Trans, useLingui } from '@lingui/react/macro';
import { ActionIcon, Button, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { IconPlus, IconX } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { cleanTaxId, isTaxId, TAX_ID_TYPES } from '#server/services/billing/rules.ts';
import { TAX_ID_ROWS_MAX, taxNumberName, taxTypeName } from './contact.ts';
import classes from './tax-id-fields.module.css';
import { useTaxIdWords } from './use-tax-id-words.ts';

interface Row {
  key: number;
  type: string;
  number: string;
}

/** Tax numbers, each with its type and each type once; a row counts when it has both. */
export function TaxIdFields(props: {
  defaults: Readonly<Record<string, string>>;
  /** Whether the last validation found an invalid number. */
  hasError: boolean;
}) {
  const [rows, setRows] = useState<Row[]>(() =>
    Object.entries(props.defaults).map(([type, number], key) => ({ key, type, number })),
  );
  const nextKey = useRef(rows.length);
  const group = useRef<HTMLFieldSetElement>(null);
  const addButton = useRef<HTMLButtonElement>(null);
  const [arrived, setArrived] = useState<number | null>(null);
  useEffect(() => {
    if (arrived !== null)
      group.current?.querySelector<HTMLElement>(`[data-row="${arrived}"] select`)?.focus();
  }, [arrived]);

  const add = () => {
    const key = nextKey.current++;
    setRows([...rows, { key, type: '', number: '' }]);
    setArrived(key);
  };
  const change = (key: number, changes: Partial<Row>) =>
    setRows(rows.map((row) => (row.key === key ? { ...row, ...changes } : row)));
  const remove = (key: number) => {
    setRows(rows.filter((row) => row.key !== key));
    addButton.current?.focus();
  };
  return (
    <fieldset ref={group} className={classes.group}>
      <Text component="legend" size="sm" fw={500}>
        <Trans>Tax IDs</Trans>
      </Text>
      <Stack gap="xs">
        <Text size="xs" c="dimmed">
          <Trans>Printed on your invoices, if you have any.</Trans>
        </Text>
        {rows.map((row, index) => (
          <TaxIdRow
            key={row.key}
            row={row}
            index={index}
            takenTypes={rows.filter((other) => other !== row).map(({ type }) => type)}
            hasError={props.hasError}
            onChange={(changes) => change(row.key, changes)}
            onRemove={() => remove(row.key)}
          />
        ))}
        <div>
          <Button
            ref={addButton}
            variant="default"
            size="xs"
            leftSection={<IconPlus size={16} aria-hidden />}
            onClick={add}
            disabled={rows.length >= TAX_ID_ROWS_MAX}
          >
            <Trans>Add tax ID</Trans>
          </Button>
        </div>
      </Stack>
    </fieldset>
  );
}

function TaxIdRow(props: {
  row: Row;
  index: number;
  /** Those of other rows. */
  takenTypes: readonly string[];
  hasError: boolean;
  onChange: (changes: Partial<Row>) => void;
  onRemove: () => void;
}) {
  const { row, index, takenTypes, hasError, onChange, onRemove } = props;
  const { t } = useLingui();
  const words = useTaxIdWords();
  const problemOf = ({ type, number }: Row): string | undefined => {
    const known = TAX_ID_TYPES.find((each) => each === type);
    if (!hasError || !known || number.trim() === '' || isTaxId(known, cleanTaxId(known, number)))
      return undefined;
    const name = words[known];
    return known === 'QST'
      ? t`A ${name} number looks like 1234567890 TQ0001`
      : t`A ${name} number looks like 123456789 RT0001`;
  };
  return (
    <div data-row={row.key} className={classes.row}>
      <NativeSelect
        name={taxTypeName(index)}
        aria-label={t`Type of tax ID`}
        value={row.type}
        onChange={(event) => onChange({ type: event.currentTarget.value })}
        data={[
          { value: '', label: t`Type` },
          ...TAX_ID_TYPES.filter((type) => !takenTypes.includes(type)).map((value) => ({
            value,
            label: words[value],
          })),
        ]}
      />
      <TextInput
        name={taxNumberName(index)}
        aria-label={t`Tax number`}
        placeholder={t`Number`}
        maxLength={50}
        autoComplete="off"
        autoCapitalize="characters"
        value={row.number}
        onChange={(event) => onChange({ number: event.currentTarget.value })}
        error={problemOf(row)}
      />
      <ActionIcon size="lg" aria-label={t`Remove this tax ID`} onClick={onRemove}>
        <IconX size={18} stroke={1.75} aria-hidden />
      </ActionIcon>
    </div>
  );
}
