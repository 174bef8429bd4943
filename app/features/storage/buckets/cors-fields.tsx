import { Trans, useLingui } from '@lingui/react/macro';
import { Button, CloseButton, Stack, Switch, TextInput } from '@mantine/core';
import { type KeyboardEvent, useState } from 'react';
import { CORS_ORIGINS_MAX, isCorsOrigin } from '#server/services/storage/rules.ts';
import classes from './cors-fields.module.css';

/** The name of the field in which an origin is typed. */
export const ORIGIN_FIELD = 'origin';

/** The values of the fields: the switch, the origins added so far, and what is typed but not added yet. */
export interface TypedCors {
  isEnabled: boolean;
  origins: readonly string[];
  typed: string;
}

/**
 * Returns the origins with the typed one added: trimmed, and ignored if empty or a duplicate; null if
 * invalid.
 */
export function addTyped({ origins, typed }: TypedCors): readonly string[] | null {
  const origin = typed.trim();
  if (origin === '' || origins.includes(origin)) return origins;
  return isCorsOrigin(origin) && origins.length < CORS_ORIGINS_MAX ? [...origins, origin] : null;
}

/** What a form sends: origins only when CORS is on and there are some. */
export function corsInput({ isEnabled, origins }: Pick<TypedCors, 'isEnabled' | 'origins'>) {
  return {
    cors_enabled: isEnabled,
    ...(isEnabled && origins.length > 0 ? { cors_origins: [...origins] } : {}),
  };
}

/** Whether websites may use the bucket from a browser, and which. */
export function CorsFields(props: {
  value: TypedCors;
  onChange: (value: TypedCors) => void;
  isRefused: boolean;
}) {
  const { value, onChange } = props;
  const { t } = useLingui();
  const [isWrong, setWrong] = useState(false);
  const isFull = value.origins.length >= CORS_ORIGINS_MAX;
  const add = () => {
    const origins = addTyped(value);
    setWrong(origins === null);
    if (origins !== null) onChange({ ...value, origins, typed: '' });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.nativeEvent.isComposing) return;
    // Enter adds the origin and does not submit the form.
    event.preventDefault();
    add();
  };
  return (
    <Stack gap="sm">
      <Switch
        label={t`Enable CORS`}
        description={t`Lets websites use the bucket from a browser.`}
        checked={value.isEnabled}
        onChange={(event) => onChange({ ...value, isEnabled: event.currentTarget.checked })}
      />
      {value.isEnabled && (
        <fieldset className={classes.group}>
          <legend className="visually-hidden">
            <Trans>CORS origins</Trans>
          </legend>
          <div className={classes.entry}>
            <TextInput
              name={ORIGIN_FIELD}
              label={t`Allowed origin`}
              description={t`Such as https://example.ca, or * for every website.`}
              value={value.typed}
              onChange={(event) => {
                setWrong(false);
                onChange({ ...value, typed: event.currentTarget.value });
              }}
              onKeyDown={onKeyDown}
              error={isWrong || props.isRefused ? <Refusal isFull={isFull} /> : null}
              // The button next to the field keeps its line.
              inputWrapperOrder={['label', 'description', 'error', 'input']}
              maxLength={300}
              inputMode="url"
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
            />
            <Button variant="default" onClick={add}>
              <Trans>Add origin</Trans>
            </Button>
          </div>
          {value.origins.length > 0 && (
            <ul className={classes.origins} aria-label={t`Allowed origins`}>
              {value.origins.map((origin) => (
                <li key={origin}>
                  <code>{origin}</code>
                  <CloseButton
                    size="sm"
                    // The theme names every close button in the same way, and would override a property.
                    attributes={{ root: { 'aria-label': t`Remove ${origin}` } }}
                    onClick={() =>
                      onChange({ ...value, origins: value.origins.filter((other) => other !== origin) })
                    }
                  />
                </li>
              ))}
            </ul>
          )}
        </fieldset>
      )}
    </Stack>
  );
}

function Refusal({ isFull }: { isFull: boolean }) {
  if (isFull) return <Trans>No more origins can be added. Remove one first.</Trans>;
  return <Trans>Enter * or an origin such as https://example.ca, without a path.</Trans>;
}
