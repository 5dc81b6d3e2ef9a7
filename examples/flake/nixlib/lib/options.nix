# Options, and the properties that a definition may have: conditions, priorities, order.
{ lib }:
rec {
  mkOption = { ... }@attributes: attributes // { _type = "option"; };
  mkEnableOption = what: mkOption {
    type = lib.types.bool;
    default = false;
    example = true;
    description = "Whether to enable ${what}.";
  };
  isType = type: value: lib.isAttrs value && value._type or null == type;
  isOption = isType "option";

  # --- properties ---

  mkIf = condition: content: { _type = "if"; inherit condition content; };
  mkMerge = contents: { _type = "merge"; inherit contents; };
  mkOverride = priority: content: { _type = "override"; inherit priority content; };
  mkOptionDefault = mkOverride 1500;
  mkDefault = mkOverride 1000;
  mkForce = mkOverride 50;
  mkVMOverride = mkOverride 10;
  defaultOverridePriority = 100;
  mkOrder = priority: content: { _type = "order"; inherit priority content; };
  mkBefore = mkOrder 500;
  mkAfter = mkOrder 1500;
  defaultOrderPriority = 1000;

  # --- words ---

  showOption = path: lib.concatStringsSep "." path;
  showFiles = lib.concatMapStringsSep " and " (file: "`${toString file}'");
  showDefs = lib.concatMapStringsSep "" (def: "\n- In `${toString def.file}'");
  getValues = map (def: def.value);
  getFiles = map (def: def.file);

  # --- ways to merge ---

  mergeOneOption = loc: defs:
    if lib.length defs == 1 then (lib.head defs).value
    else throw "The option `${showOption loc}' is defined multiple times while it's expected to be unique.${showDefs defs}";
  mergeEqualOption = loc: defs:
    let
      first = lib.head defs;
      same = lib.all (def: def.value == first.value) defs;
    in
      if lib.length defs == 1 || same then first.value
      else throw "The option `${showOption loc}' has conflicting definition values:${showDefs defs}";
}
