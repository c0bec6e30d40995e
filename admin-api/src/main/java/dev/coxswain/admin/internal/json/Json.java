// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.json;

import com.fasterxml.jackson.annotation.JsonAnySetter;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.AnnotationIntrospector;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.deser.std.StdDeserializer;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import com.fasterxml.jackson.databind.introspect.AnnotatedMember;
import com.fasterxml.jackson.databind.introspect.AnnotatedParameter;
import com.fasterxml.jackson.databind.introspect.JacksonAnnotationIntrospector;
import com.fasterxml.jackson.databind.introspect.NopAnnotationIntrospector;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.ser.std.StdSerializer;
import com.fasterxml.jackson.databind.ser.std.ToStringSerializer;
import dev.coxswain.admin.internal.model.ControllerList;
import dev.coxswain.admin.internal.model.ControllerResource;
import dev.coxswain.admin.internal.model.ItemList;
import dev.coxswain.admin.internal.model.ItemListBuilder;
import dev.coxswain.admin.internal.model.ItemResourceBuilder;
import java.io.IOException;
import java.io.Serial;
import java.lang.reflect.AnnotatedType;
import java.lang.reflect.Constructor;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Reads JSON strictly, and writes JSON that is always valid UTF-8. A value is a record; a component
 * that is null is left out.
 */
public final class Json {

  /** The deepest input; deeper input is refused by the parser. */
  public static final int MAX_DEPTH = 16;

  /** The longest error text that is shown. */
  public static final int MAX_ERROR_TEXT = 1024;

  /** For own text, which needs no checks. */
  private static final JsonFactory WRITTEN = new JsonFactory();

  private static final JsonMapper MAPPER =
      JsonMapper.builder(
              JsonFactory.builder()
                  .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                  .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
                  .streamReadConstraints(
                      StreamReadConstraints.builder()
                          .maxNestingDepth(MAX_DEPTH)
                          .maxNumberLength(32)
                          .build())
                  .build())
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          // A replica of a newer version may send more.
          .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .defaultPropertyInclusion(
              JsonInclude.Value.construct(JsonInclude.Include.NON_NULL, JsonInclude.Include.ALWAYS))
          .addModule(
              new SimpleModule()
                  .addSerializer(String.class, new CleanText(false))
                  .addKeySerializer(String.class, new CleanText(true))
                  .addSerializer(Instant.class, ToStringSerializer.instance)
                  .addDeserializer(Instant.class, new Time()))
          .annotationIntrospector(
              AnnotationIntrospector.pair(new Required(), new JacksonAnnotationIntrospector()))
          .build();

  /** A component of a record is required, unless it is {@code @Nullable} or a number or a flag. */
  private static final class Required extends NopAnnotationIntrospector {

    @Serial private static final long serialVersionUID = 1;

    /** The components that are nullable, by the constructor of their record. */
    private final transient Map<Constructor<?>, BitSet> nullable = new ConcurrentHashMap<>();

    @Override
    public @Nullable Boolean hasRequiredMarker(AnnotatedMember member) {
      if (!(member instanceof AnnotatedParameter parameter)
          || !(parameter.getOwner().getMember() instanceof Constructor<?> creator)
          || !creator.getDeclaringClass().isRecord()
          || parameter.getRawType().isPrimitive()
          || parameter.hasAnnotation(JsonUnwrapped.class)
          || parameter.hasAnnotation(JsonAnySetter.class)) {
        return null;
      }
      return !nullable.computeIfAbsent(creator, Required::nullable).get(parameter.getIndex());
    }

    private static BitSet nullable(Constructor<?> creator) {
      BitSet nullable = new BitSet();
      AnnotatedType[] types = creator.getAnnotatedParameterTypes(); // each call parses them
      for (int i = 0; i < types.length; i++) {
        nullable.set(i, types[i].isAnnotationPresent(Nullable.class));
      }
      return nullable;
    }
  }

  /** Writes text, or the names of fields, always as valid UTF-8. */
  private static final class CleanText extends StdSerializer<String> {

    @Serial private static final long serialVersionUID = 1;

    private final boolean isName;

    CleanText(boolean isName) {
      super(String.class);
      this.isName = isName;
    }

    @Override
    public void serialize(String text, JsonGenerator json, SerializerProvider provider)
        throws IOException {
      if (isName) {
        json.writeFieldName(clean(text));
      } else {
        json.writeString(clean(text));
      }
    }
  }

  private static final class Time extends StdDeserializer<Instant> {

    @Serial private static final long serialVersionUID = 1;

    Time() {
      super(Instant.class);
    }

    @Override
    public Instant deserialize(JsonParser json, DeserializationContext context) throws IOException {
      return Durations.parseTime(json.getText())
          .orElseThrow(() -> MismatchedInputException.from(json, Instant.class, "no time"));
    }
  }

  private Json() {}

  /** Loads what writing the most frequent values needs: some hundreds of classes. */
  public static void loadAhead() {
    samples().forEach(Json::write);
  }

  /** Loads what reading them needs, which only the answers of other replicas do. */
  public static void loadForPeers() throws IOException {
    for (Object sample : samples()) {
      read(write(sample), sample.getClass());
    }
  }

  private static List<Object> samples() {
    ControllerResource controller =
        ControllerResource.named("", "", "").oldestReadySeconds(1.5).counts(Map.of("", 1L)).build();
    ItemList items =
        ItemListBuilder.builder()
            .kind(ItemList.KIND)
            .controller("")
            .items(List.of(ItemResourceBuilder.builder().readyAt(Instant.EPOCH).build()))
            .build();
    return List.of(
        new ControllerList("", List.of(controller)), items, Problem.internal().body("", ""));
  }

  public static ObjectNode object() {
    return MAPPER.createObjectNode();
  }

  /** Writes a tree or a value, which is a record. */
  public static byte[] write(Object json) {
    try {
      return MAPPER.writeValueAsBytes(json);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("JSON could not be written", e);
    }
  }

  /** Returns a value as text. */
  public static String text(Object json) {
    return new String(write(json), StandardCharsets.UTF_8);
  }

  /** Returns a value as a tree; a tree is returned itself. */
  public static ObjectNode tree(Object value) {
    return value instanceof ObjectNode tree ? tree : MAPPER.valueToTree(value);
  }

  /**
   * Returns a tree as a value of a type; a value of that type is returned itself.
   *
   * @throws IllegalArgumentException when the tree does not have its form
   */
  public static <T> T value(Object json, Class<T> type) {
    return type.isInstance(json) ? type.cast(json) : MAPPER.convertValue(json, type);
  }

  /** Reads the tokens of text that this replica has written. */
  public static JsonParser written(byte[] text) throws IOException {
    return WRITTEN.createParser(text);
  }

  /** Returns the tree, or null for white space only. */
  public static @Nullable JsonNode read(byte[] text) throws IOException {
    JsonNode node = MAPPER.readTree(text);
    return node == null || node.isMissingNode() ? null : node;
  }

  /**
   * Reads a value of a type, which is a record or a tree.
   *
   * @throws IOException when the text does not have its form
   */
  public static <T> T read(byte[] text, Class<T> type) throws IOException {
    T value = MAPPER.readValue(text, type);
    if (value == null) {
      throw new IOException("null");
    }
    return value;
  }

  /**
   * Returns text that UTF-8 can represent: a lone surrogate, such as the rest of a pair after an
   * error text was cut, becomes the replacement character.
   */
  public static String clean(String text) {
    StringBuilder cleaned = null;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (!Character.isSurrogate(c)) {
        continue;
      }
      if (Character.isHighSurrogate(c)
          && i + 1 < text.length()
          && Character.isLowSurrogate(text.charAt(i + 1))) {
        i++;
        continue;
      }
      if (cleaned == null) {
        cleaned = new StringBuilder(text);
      }
      cleaned.setCharAt(i, '\uFFFD');
    }
    return cleaned == null ? text : cleaned.toString();
  }

  /** Returns one line of clean text of at most {@code max} characters. */
  public static String line(String text, int max) {
    String cut = text.length() <= max ? text : text.substring(0, max);
    StringBuilder line = null;
    for (int i = 0; i < cut.length(); i++) {
      if (Character.isISOControl(cut.charAt(i))) {
        line = line == null ? new StringBuilder(cut) : line;
        line.setCharAt(i, ' ');
      }
    }
    return clean(line == null ? cut : line.toString());
  }
}
