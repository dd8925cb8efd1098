import { anthropic } from './anthropic.js';
import { aws } from './aws.js';
import { google } from './google.js';
import { openAi } from './openai.js';
import type { Vendor, VendorName } from './vendor.js';

const VENDORS: Readonly<Record<VendorName, Vendor>> = { openai: openAi, anthropic, google, aws };

/** Returns the record of a vendor. */
export function vendorOf(name: VendorName): Vendor {
  return VENDORS[name];
}
