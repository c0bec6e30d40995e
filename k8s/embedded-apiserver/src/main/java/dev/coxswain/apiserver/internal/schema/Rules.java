// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.schema;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.re2j.Pattern;
import java.math.BigDecimal;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Value rules of a structural schema; immutable.
 *
 * @param required names of fields that must be there
 * @param options allowed values, empty = all
 * @param minimum lower bound or null
 * @param maximum upper bound or null
 * @param exclusiveMinimum whether the lower bound itself is refused
 * @param exclusiveMaximum whether the upper bound itself is refused
 * @param multipleOf divisor or null
 * @param minLength least number of characters, -1 = none
 * @param maxLength most characters, -1 = none
 * @param minItems least number of list items, -1 = none
 * @param maxItems most list items, -1 = none
 * @param uniqueItems whether list items must differ
 * @param minProperties least number of fields, -1 = none
 * @param maxProperties most fields, -1 = none
 * @param pattern regular expression that must be found, or null
 * @param format named format, or empty
 * @param allOf all of these rules must hold
 * @param anyOf at least one must hold, empty = no demand
 * @param oneOf exactly one must hold, empty = no demand
 * @param not must not hold, or null
 */
public record Rules(
    List<String> required,
    List<JsonNode> options,
    @Nullable BigDecimal minimum,
    @Nullable BigDecimal maximum,
    boolean exclusiveMinimum,
    boolean exclusiveMaximum,
    @Nullable BigDecimal multipleOf,
    int minLength,
    int maxLength,
    int minItems,
    int maxItems,
    boolean uniqueItems,
    int minProperties,
    int maxProperties,
    @Nullable Pattern pattern,
    String format,
    List<Schema> allOf,
    List<Schema> anyOf,
    List<Schema> oneOf,
    @Nullable Schema not) {}
