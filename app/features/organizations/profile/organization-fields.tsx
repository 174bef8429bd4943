import { useLingui } from '@lingui/react/macro';
import { Textarea, TextInput } from '@mantine/core';
import type { TypedValues } from '../../../components/forms/use-schema-form.ts';
import { completeWebAddress } from './web-address.ts';

/** What an organization says about itself besides its names: description, website and location. */
export function OrganizationFields(props: { values: TypedValues; errors: TypedValues }) {
  const { t } = useLingui();
  const { values, errors } = props;
  return (
    <>
      <Textarea
        name="description"
        label={t`Description`}
        description={t`One or two sentences about what you do together.`}
        autosize
        minRows={2}
        maxRows={6}
        maxLength={500}
        defaultValue={values.description}
        error={errors.description}
      />
      <TextInput
        name="website"
        type="url"
        inputMode="url"
        label={t`Website`}
        placeholder="https://"
        autoComplete="off"
        autoCapitalize="none"
        maxLength={300}
        defaultValue={values.website}
        onBlur={(event) => {
          event.currentTarget.value = completeWebAddress(event.currentTarget.value);
        }}
        error={errors.website}
      />
      <TextInput
        name="location"
        label={t`Location`}
        description={t`A town, a country, or both.`}
        autoComplete="off"
        maxLength={100}
        defaultValue={values.location}
        error={errors.location}
      />
    </>
  );
}
