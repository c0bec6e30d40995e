// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.client;

import com.google.gson.ExclusionStrategy;
import com.google.gson.FieldAttributes;
import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonPrimitive;
import com.google.gson.TypeAdapter;
import com.google.gson.TypeAdapterFactory;
import com.google.gson.internal.LazilyParsedNumber;
import com.google.gson.reflect.TypeToken;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import com.google.gson.stream.JsonWriter;
import io.kubernetes.client.openapi.models.CoreV1Event;
import io.kubernetes.client.openapi.models.CoreV1EventSeries;
import io.kubernetes.client.openapi.models.EventsV1Event;
import io.kubernetes.client.openapi.models.EventsV1EventSeries;
import io.kubernetes.client.openapi.models.V1LeaseSpec;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.io.IOException;
import java.lang.reflect.Field;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Conversion between objects and JSON, with rules of this module instead of the client's
 * process-wide ones.
 *
 * <h2>Reading</h2>
 *
 * Fields that the class does not have are skipped, and missing ones are accepted even if the
 * client's models require them: a newer server must never break an older controller. Managed fields
 * are dropped. A number in a free-form field, such as {@code Map<String, Object>}, is a {@code Long}, a
 * {@code BigInteger}, a {@code Double} or a {@code BigDecimal}: the first of these that has its exact
 * value.
 *
 * <h2>Writing</h2>
 *
 * The client's models are created with empty lists and maps; written out, they would claim those
 * fields in a server-side apply, so they are omitted. Other classes are written as they are: an
 * empty list there is intentional. Times keep their fraction and offset.
 */
public final class Json {

  private static final int PARSED_DIGITS = 100;

  /** Each number of so many characters fits into a long. */
  private static final int LONG_DIGITS = 18;

  private static final DateTimeFormatter MICROS =
      DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSSSSS'Z'");

  /** The fields of the type MicroTime, which a server reads only with exactly six digits. */
  private static final Map<Class<?>, List<String>> MICRO_TIMES =
      Map.of(
          V1LeaseSpec.class, List.of("acquireTime", "renewTime"),
          CoreV1Event.class, List.of("eventTime"),
          CoreV1EventSeries.class, List.of("lastObservedTime"),
          EventsV1Event.class, List.of("eventTime"),
          EventsV1EventSeries.class, List.of("lastObservedTime"));

  public static final Gson GSON =
      new GsonBuilder()
          .disableHtmlEscaping()
          .registerTypeAdapter(OffsetDateTime.class, new TimeAdapter())
          .registerTypeAdapter(LocalDate.class, new DateAdapter())
          .registerTypeAdapter(byte[].class, new BytesAdapter())
          .setObjectToNumberStrategy(Json::exact)
          .registerTypeAdapterFactory(new UnstructuredFactory())
          .registerTypeAdapterFactory(new ModelFactory())
          .addDeserializationExclusionStrategy(new ManagedFields())
          .create();

  /**
   * The same for classes of other class loaders, such as those of plug-ins. A Gson refers to each
   * class that it has converted for ever, so theirs is kept by the class itself.
   */
  private static final ClassValue<Gson> OF_OTHERS =
      new ClassValue<>() {
        @Override
        protected Gson computeValue(Class<?> type) {
          return GSON.newBuilder().create();
        }
      };

  private Json() {}

  private static Gson of(Class<?> type) {
    ClassLoader loader = type.getClassLoader();
    return loader == null || loader.equals(Json.class.getClassLoader())
        ? GSON
        : OF_OTHERS.get(type);
  }

  /**
   * Decodes an object.
   *
   * @param json the object
   * @param type its class
   * @throws JsonParseException when the type of a field does not match the class
   */
  public static <T> T decode(JsonElement json, Class<T> type) {
    T decoded = of(type).fromJson(json, type);
    if (decoded == null) {
      throw new JsonParseException("there is no object");
    }
    return decoded;
  }

  /**
   * Decodes an object from text.
   *
   * @param json the object in UTF-8
   * @param type its class
   * @throws JsonParseException when the text is not JSON or does not match the class
   */
  public static <T> T decode(byte[] json, Class<T> type) {
    return decode(new String(json, StandardCharsets.UTF_8), type);
  }

  /** Decodes an object like {@link #decode(byte[], Class)}. */
  public static <T> T decode(String json, Class<T> type) {
    T decoded = of(type).fromJson(json, type);
    if (decoded == null) {
      throw new JsonParseException("there is no object");
    }
    return decoded;
  }

  /** Returns {@code object} as a tree that the caller owns. */
  public static JsonObject encode(Object object) {
    return of(object.getClass()).toJsonTree(object).getAsJsonObject();
  }

  /** Returns a member that is a string or another plain value; empty when there is none. */
  public static String text(@Nullable JsonElement json, String member) {
    return json instanceof JsonObject object
            && object.get(member) != null
            && object.get(member).isJsonPrimitive()
        ? object.get(member).getAsString()
        : "";
  }

  /** The value of a number as it is written; Gson's own rule is a double for each of them. */
  private static Number exact(JsonReader in) throws IOException {
    BigDecimal value;
    String text = in.nextString();
    if (text.length() > PARSED_DIGITS) {
      return new LazilyParsedNumber(text); // keeps the text; parsing takes longer with each digit
    }
    try {
      value = new BigDecimal(text);
    } catch (NumberFormatException e) {
      throw new JsonParseException("not a number: \"" + text + "\" at " + in.getPath(), e);
    }
    if (text.chars().allMatch(digit -> digit == '-' || Character.isDigit(digit))) {
      return text.length() <= LONG_DIGITS || value.toBigInteger().bitLength() < Long.SIZE
          ? (Number) value.longValue()
          : value.toBigInteger();
    }
    double nearest = value.doubleValue();
    return Double.isFinite(nearest) && Double.toString(nearest).equals(text)
        ? (Number) nearest
        : value;
  }

  private static final class ManagedFields implements ExclusionStrategy {
    @Override
    public boolean shouldSkipField(FieldAttributes field) {
      return field.getDeclaringClass() == V1ObjectMeta.class
          && field.getName().equals("managedFields");
    }

    @Override
    public boolean shouldSkipClass(Class<?> type) {
      return false;
    }
  }

  /** Omits the empty collections that the client's models are created with. */
  private static final class ModelFactory implements TypeAdapterFactory {
    @Override
    public <T> @Nullable TypeAdapter<T> create(Gson gson, TypeToken<T> type) {
      if (!type.getRawType().getName().startsWith("io.kubernetes.client.openapi.models.")) {
        return null;
      }
      TypeAdapter<T> plain = gson.getDelegateAdapter(this, type);
      List<String> collections = new ArrayList<>();
      for (Field field : type.getRawType().getDeclaredFields()) {
        if (Collection.class.isAssignableFrom(field.getType())
            || Map.class.isAssignableFrom(field.getType())) {
          var named = field.getAnnotation(com.google.gson.annotations.SerializedName.class);
          collections.add(named == null ? field.getName() : named.value());
        }
      }
      List<String> microTimes = MICRO_TIMES.getOrDefault(type.getRawType(), List.of());
      if (collections.isEmpty() && microTimes.isEmpty()) {
        return plain;
      }
      return new TypeAdapter<T>() {
        @Override
        public void write(JsonWriter out, T value) throws IOException {
          JsonElement tree = plain.toJsonTree(value);
          if (tree instanceof JsonObject object) {
            for (String name : collections) {
              JsonElement member = object.get(name);
              if ((member instanceof JsonArray array && array.isEmpty())
                  || (member instanceof JsonObject map && map.isEmpty())) {
                object.remove(name);
              }
            }
            for (String name : microTimes) {
              if (object.get(name) instanceof JsonPrimitive time) {
                OffsetDateTime moment = OffsetDateTime.parse(time.getAsString());
                object.addProperty(
                    name, MICROS.format(moment.withOffsetSameInstant(ZoneOffset.UTC)));
              }
            }
          }
          gson.toJson(tree, out);
        }

        @Override
        public T read(JsonReader in) throws IOException {
          return plain.read(in);
        }
      };
    }
  }

  private static final class UnstructuredFactory implements TypeAdapterFactory {
    @Override
    @SuppressWarnings("unchecked") // T is Unstructured when the raw type is
    public <T> @Nullable TypeAdapter<T> create(Gson gson, TypeToken<T> type) {
      if (type.getRawType() != Unstructured.class) {
        return null;
      }
      return (TypeAdapter<T>)
          new TypeAdapter<Unstructured>() {
            @Override
            public void write(JsonWriter out, Unstructured value) throws IOException {
              gson.toJson(value.json(), out);
            }

            @Override
            public Unstructured read(JsonReader in) {
              return Unstructured.of(gson.fromJson(in, JsonObject.class));
            }
          };
    }
  }

  /** In the form that each parser of RFC 3339 reads. */
  private static final class TimeAdapter extends TypeAdapter<@Nullable OffsetDateTime> {
    @Override
    public void write(JsonWriter out, @Nullable OffsetDateTime value) throws IOException {
      if (value == null) {
        out.nullValue();
        return;
      }
      out.value(DateTimeFormatter.ISO_OFFSET_DATE_TIME.format(value));
    }

    @Override
    public @Nullable OffsetDateTime read(JsonReader in) throws IOException {
      if (in.peek() == JsonToken.NULL) {
        in.nextNull();
        return null;
      }
      String text = in.nextString();
      try {
        return time(text);
      } catch (DateTimeException e) {
        throw new JsonParseException("not a time: \"" + text + "\" at " + in.getPath(), e);
      }
    }
  }

  /**
   * Parses a time. The form in which an API server writes a Time is read here, because each object
   * has at least one, and the parser of the JDK takes longer than the rest of the metadata.
   */
  static OffsetDateTime time(String text) {
    int length = "2006-01-02T15:04:05Z".length();
    if (text.length() != length
        || text.charAt(4) != '-'
        || text.charAt(7) != '-'
        || text.charAt(10) != 'T'
        || text.charAt(13) != ':'
        || text.charAt(16) != ':'
        || text.charAt(19) != 'Z') {
      return OffsetDateTime.parse(text);
    }
    return OffsetDateTime.of(
        digits(text, 0, 4),
        digits(text, 5, 7),
        digits(text, 8, 10),
        digits(text, 11, 13),
        digits(text, 14, 16),
        digits(text, 17, 19),
        0,
        ZoneOffset.UTC);
  }

  private static int digits(String text, int from, int to) {
    int value = 0;
    for (int i = from; i < to; i++) {
      int digit = text.charAt(i) - '0';
      if (digit < 0 || digit > 9) {
        throw new DateTimeException("not a digit at " + i);
      }
      value = value * 10 + digit;
    }
    return value;
  }

  private static final class DateAdapter extends TypeAdapter<@Nullable LocalDate> {
    @Override
    public void write(JsonWriter out, @Nullable LocalDate value) throws IOException {
      out.value(value == null ? null : value.toString());
    }

    @Override
    public @Nullable LocalDate read(JsonReader in) throws IOException {
      if (in.peek() == JsonToken.NULL) {
        in.nextNull();
        return null;
      }
      String text = in.nextString();
      try {
        return LocalDate.parse(text);
      } catch (DateTimeException e) {
        throw new JsonParseException("not a date: \"" + text + "\" at " + in.getPath(), e);
      }
    }
  }

  private static final class BytesAdapter extends TypeAdapter<byte @Nullable []> {
    @Override
    public void write(JsonWriter out, byte @Nullable [] value) throws IOException {
      out.value(value == null ? null : Base64.getEncoder().encodeToString(value));
    }

    @Override
    public byte @Nullable [] read(JsonReader in) throws IOException {
      if (in.peek() == JsonToken.NULL) {
        in.nextNull();
        return null;
      }
      String text = in.nextString();
      try {
        return Base64.getDecoder().decode(text);
      } catch (IllegalArgumentException e) {
        throw new JsonParseException("not base64 at " + in.getPath(), e);
      }
    }
  }
}
