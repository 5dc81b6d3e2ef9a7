# Properties of definitions: conditions, priorities, order. A property is a set with `_type`.
{ lib }:
rec {
  isType = type: value: builtins.isAttrs value && (value._type or null) == type;
  setType = type: value: value // { _type = type; };

  # Content that counts only if the condition holds. The condition may depend on the final configuration.
  mkIf = condition: content: { _type = "if"; inherit condition content; };
  mkAssert = assertion: message: content:
    mkIf (if assertion then true else throw "\nFailed assertion: ${message}") content;
  mkUnless = condition: mkIf (!condition);

  # Several definitions in one place.
  mkMerge = contents: { _type = "merge"; inherit contents; };

  # A definition with a priority: the smallest number wins, those of the same number are merged.
  mkOverride = priority: content: { _type = "override"; inherit priority content; };
  mkOptionDefault = mkOverride 1500;
  mkDefault = mkOverride 1000;
  mkImageMediaOverride = mkOverride 60;
  mkForce = mkOverride 50;
  mkVMOverride = mkOverride 10;
  defaultOverridePriority = 100;

  # A definition with a place among others that are merged into a list or text; 1000 is the middle.
  mkOrder = priority: content: { _type = "order"; inherit priority content; };
  mkBefore = mkOrder 500;
  mkAfter = mkOrder 1500;
  defaultOrderPriority = 1000;

  # Take one definition apart into those it stands for, conditions applied.
  dischargeProperties = value:
    if isType "merge" value then lib.concatMap dischargeProperties value.contents
    else if isType "if" value then
      (if builtins.isBool value.condition
       then if value.condition then dischargeProperties value.content else [ ]
       else throw "mkIf: the condition is ${builtins.typeOf value.condition}, not a Boolean")
    else [ value ];

  # Move conditions, merges and priorities of a whole set inwards to its attributes.
  pushDownProperties = config:
    if isType "merge" config then lib.concatMap pushDownProperties config.contents
    else if isType "if" config
    then map (lib.mapAttrs (_: value: mkIf config.condition value)) (pushDownProperties config.content)
    else if isType "override" config
    then map (lib.mapAttrs (_: value: mkOverride config.priority value)) (pushDownProperties config.content)
    else [ config ];

  # Of definitions { file, value }, those with the best priority; the priority property is taken off.
  filterOverrides = defs: (filterOverrides' defs).values;
  filterOverrides' = defs:
    let
      priorityOf = def: if isType "override" def.value then def.value.priority else defaultOverridePriority;
      highest = builtins.foldl' (best: def: lib.min best (priorityOf def)) 9999 defs;
      strip = def: if isType "override" def.value then def // { value = def.value.content; } else def;
    in {
      values = lib.concatMap (def: if priorityOf def == highest then [ (strip def) ] else [ ]) defs;
      losers = lib.filter (def: priorityOf def != highest) defs;
      highestPriority = highest;
    };

  # Definitions in the order that `mkOrder` asks for.
  sortProperties = defs:
    let
      strip = def:
        if isType "order" def.value
        then def // { value = def.value.content; inherit (def.value) priority; }
        else def;
      stripped = map strip defs;
      before = a: b: (a.priority or defaultOrderPriority) < (b.priority or defaultOrderPriority);
    in if lib.any (def: isType "order" def.value) defs then builtins.sort before stripped else defs;

  # Change the content of a property, whatever is around it.
  mapProperties = f: value:
    if isType "merge" value then value // { contents = map (mapProperties f) value.contents; }
    else if isType "if" value || isType "override" value || isType "order" value
    then value // { content = mapProperties f value.content; }
    else f value;
}
