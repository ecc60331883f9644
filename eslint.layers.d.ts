export interface Layer {
  readonly folder: string;
  readonly files?: readonly string[];
  readonly may: readonly string[];
  readonly types?: readonly string[];
  readonly packages: readonly string[];
  readonly typePackages?: readonly string[];
  readonly apart?: readonly string[];
  readonly node: boolean | readonly string[];
}
export const PACKAGES: readonly string[];
export const FOLDERS: readonly string[];
export const ENTRIES: readonly string[];
export const LAYERS: readonly Layer[];
export const importRules: readonly object[];
