# Every option with what a manual says of it, options of submodules included.
{ lib }:
let
  shown = value:
    if builtins.isAttrs value && value._type or "" == "literalExpression" then value.text
    else
      let pretty = builtins.tryEval (lib.generators.toPretty { multiline = false; } value);
      in if pretty.success then pretty.value else "<fails>";
  entry = path: option: {
    name = lib.showOption path;
    internal = option.internal or false;
    visible = option.visible or true;
    readOnly = option.readOnly or false;
    description = option.description or null;
    type = option.type.description or "unspecified";
  } // lib.optionalAttrs (option ? example) { example = shown option.example; }
    // lib.optionalAttrs (option ? default || option ? defaultText) {
      default = shown (option.defaultText or option.default);
    };
  walk = path: options: lib.concatLists (lib.mapAttrsToList
    (name: value:
      let here = path ++ [ name ];
      in
        if !(builtins.isAttrs value) then [ ]
        else if lib.isOption value then
          let below = (value.type.getSubOptions or (_: { })) here;
          in [ (entry here value) ] ++ lib.optionals (value.visible or true != "shallow") (walk here below)
        else walk here value)
    (removeAttrs options [ "_module" ]));
in {
  literalExpression = text: { _type = "literalExpression"; inherit text; };
  optionDocumentation = options: lib.filter (option: option.visible != false && !option.internal) (walk [ ] options);
}
