"""The stable code of every kind of error that evaluation can meet, in one table.

A kind goes by Puppet's issue name where Puppet has one (`UNKNOWN_VARIABLE`), and by our own words where Puppet raises a
bare error ("duplicate declaration"). The front end's issues keep the codes of `issues` (P010 to P099), the type
system's those of `types.errors` (P320 to P329): a kind has one code wherever it is found. Codes are never given to
another kind; P401, which once stood for every syntax error, is retired.
"""

from __future__ import annotations

UNCLASSIFIED = "P400"
"""What `fail()` says, and whatever has no kind of its own."""

CATALOG = "P410"
"""Something wrong with the catalog as a whole that has no kind of its own."""

CODES: dict[str, str] = {
    # What names something that is not there.
    "UNKNOWN_VARIABLE": "P411",
    "ILLEGAL_REASSIGNMENT": "P412",
    "ILLEGAL_RESERVED_ASSIGNMENT": "P492",
    "UNKNOWN_FUNCTION": "P413",
    "UNKNOWN_RESOURCE_TYPE": "P414",
    "UNKNOWN_RESOURCE": "P415",
    "UNKNOWN_RESOURCE_PARAMETER": "P416",
    "unknown class": "P417",
    "unknown attribute": "P418",
    "unknown stage": "P419",
    # What is there twice.
    "duplicate declaration": "P420",
    "duplicate alias": "P421",
    "duplicate definition": "P422",
    "DUPLICATE_ATTRIBUTE": "P423",
    "DUPLICATE_TITLE": "P424",
    "duplicate default": "P425",
    "duplicate export": "P495",
    "no database": "P496",
    # Overrides, relationships and the catalog as a whole.
    "attribute already set": "P426",
    "override not permitted": "P427",
    "override too late": "P428",
    "override of nothing": "P429",
    "dangling relationship": "P430",
    "not a reference": "P431",
    "never realized": "P432",
    "unknown node": "P433",
    "inherits from itself": "P434",
    "unknown parent": "P435",
    "parent not ready": "P494",
    "metaparameter redefined": "P436",
    "stage of a resource": "P437",
    "invalid tag": "P438",
    "endless evaluation": "P439",
    # Parameters, titles, operands.
    "MISSING_REQUIRED_PARAMETER": "P440",
    "parameter not evaluated": "P441",
    "MISSING_TITLE": "P442",
    "MISSING_TITLE_AT": "P443",
    "ILLEGAL_TITLE_TYPE_AT": "P444",
    "EMPTY_STRING_TITLE_AT": "P445",
    "ILLEGAL_RESOURCE_TYPE": "P446",
    "ILLEGAL_OVERRIDDEN_TYPE": "P447",
    "NOT_CATALOG_TYPE": "P448",
    "ILLEGAL_RELATIONSHIP_OPERAND_TYPE": "P449",
    "illegal jump": "P450",
    "UNMATCHED_SELECTOR": "P451",
    "ILLEGAL_MULTI_ASSIGNMENT_SIZE": "P452",
    "MISSING_MULTI_ASSIGNMENT_KEY": "P453",
    "MISSING_MULTI_ASSIGNMENT_VARIABLE": "P454",
    "COMPARISON_NOT_POSSIBLE": "P455",
    "MATCH_NOT_REGEXP": "P456",
    "MATCH_NOT_STRING": "P457",
    "OPERATOR_NOT_APPLICABLE": "P458",
    "OPERATOR_NOT_APPLICABLE_WHEN": "P459",
    "DIV_BY_ZERO": "P460",
    "NOT_NUMERIC": "P461",
    "NUMERIC_COERCION": "P462",
    "RESULT_IS_INFINITY": "P463",
    "illegal query": "P464",
    # Access by key, of values and of types.
    "BAD_ARRAY_SLICE_ARITY": "P465",
    "BAD_HASH_SLICE_ARITY": "P466",
    "BAD_STRING_SLICE_ARITY": "P467",
    "BAD_SLICE_KEY_TYPE": "P468",
    "BAD_STRING_SLICE_KEY_TYPE": "P469",
    "BAD_TYPE_SLICE_ARITY": "P470",
    "BAD_TYPE_SLICE_TYPE": "P471",
    "BAD_TYPE_SPECIALIZATION": "P472",
    "BAD_COLLECTION_SLICE_TYPE": "P473",
    "BAD_INTEGER_SLICE_ARITY": "P474",
    "BAD_INTEGER_SLICE_TYPE": "P475",
    "BAD_NOT_UNDEF_SLICE_TYPE": "P476",
    "ILLEGAL_RESOURCE_SPECIALIZATION": "P477",
    "ILLEGAL_HOSTCLASS_NAME": "P478",
    "ILLEGAL_CLASSREF": "P479",
    "ILLEGAL_NAME": "P491",
    # Files, data, and what leaves the compiler.
    "unknown template": "P480",
    "invalid template": "P481",
    "misnamed type": "P482",
    "Hiera configuration": "P483",
    "Hiera data": "P484",
    "Hiera interpolation": "P485",
    "recursive lookup": "P486",
    "merge of values": "P487",
    "SERIALIZATION_ENDLESS_RECURSION": "P488",
    "CATALOG_OPERATION_NOT_SUPPORTED_WHEN_SCRIPTING": "P489",
    "DISCONTINUED_IMPORT": "P493",
    # Kinds that the type system has a code for.
    "TYPE_MISMATCH": "P321",
    "arguments": "P324",
    # Issues that the front end finds too, where the text alone shows them.
    "ILLEGAL_EXPRESSION": "P070",
    "CLASS_NOT_VIRTUALIZABLE": "P073",
    "RESERVED_WORD": "P084",
    "NUMERIC_OVERFLOW": "P093",
    "EXPRESSION_NOT_SUPPORTED_WHEN_SCRIPTING": "P095",
}
"""The code of a kind."""
