import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import type { Province } from '#server/services/billing/months/tax-rules.ts';

/** The provinces and territories of Canada by their postal abbreviations. */
export const PROVINCE_WORDS: Record<Province, MessageDescriptor> = {
  AB: msg`Alberta`,
  BC: msg`British Columbia`,
  MB: msg`Manitoba`,
  NB: msg`New Brunswick`,
  NL: msg`Newfoundland and Labrador`,
  NS: msg`Nova Scotia`,
  NT: msg`Northwest Territories`,
  NU: msg`Nunavut`,
  ON: msg`Ontario`,
  PE: msg`Prince Edward Island`,
  QC: msg`Quebec`,
  SK: msg`Saskatchewan`,
  YT: msg`Yukon`,
};

/**
 * The countries of a contact: Canada, and mostly members of the Commonwealth. Every other one is
 * "Other". We name them ourselves instead of using Intl, because server and browser would not spell all of
 * them alike.
 */
export const COUNTRY_WORDS: Record<string, MessageDescriptor> = {
  CA: msg`Canada`,
  AU: msg`Australia`,
  BS: msg`Bahamas`,
  BD: msg`Bangladesh`,
  BB: msg`Barbados`,
  GH: msg`Ghana`,
  IN: msg`India`,
  IE: msg`Ireland`,
  JM: msg`Jamaica`,
  KE: msg`Kenya`,
  MY: msg`Malaysia`,
  MT: msg`Malta`,
  NZ: msg`New Zealand`,
  NG: msg`Nigeria`,
  PK: msg`Pakistan`,
  SG: msg`Singapore`,
  ZA: msg`South Africa`,
  LK: msg`Sri Lanka`,
  TT: msg`Trinidad and Tobago`,
  GB: msg`United Kingdom`,
  US: msg`United States`,
};
