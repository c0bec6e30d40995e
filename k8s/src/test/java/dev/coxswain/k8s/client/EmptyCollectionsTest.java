// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.client;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.annotations.SerializedName;
import io.kubernetes.client.openapi.models.V1Pod;
import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.net.JarURLConnection;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.jar.JarEntry;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Every model of the official client, filled with fresh models: nothing is sent by itself. */
class EmptyCollectionsTest {

  private static final int DEPTH = 3;
  private static final String MODELS = V1Pod.class.getPackageName();

  @Test
  void noModel_sendsCollectionsThatNobodyHasSet() throws IOException {
    List<String> sent = new ArrayList<>();
    int models = 0;
    for (Class<?> type : models()) {
      Object object = fresh(type, DEPTH);
      if (object != null) {
        models++;
        find(type, Json.encode(object), type.getSimpleName(), sent);
      }
    }

    assertThat(models).isGreaterThan(600);
    assertThat(sent).isEmpty();
  }

  /** The classes beside {@link V1Pod} in its jar. */
  private static List<Class<?>> models() throws IOException {
    String folder = MODELS.replace('.', '/') + "/";
    List<Class<?>> models = new ArrayList<>();
    var jar = (JarURLConnection) V1Pod.class.getResource("V1Pod.class").openConnection();
    for (JarEntry entry : Collections.list(jar.getJarFile().entries())) {
      String name = entry.getName();
      if (name.startsWith(folder) && name.endsWith(".class")) {
        String binary = name.substring(0, name.length() - ".class".length()).replace('/', '.');
        try {
          models.add(Class.forName(binary, false, V1Pod.class.getClassLoader()));
        } catch (ClassNotFoundException e) {
          throw new LinkageError(binary + " is in the jar", e);
        }
      }
    }
    return models;
  }

  private static @Nullable Object fresh(Class<?> type, int depth) {
    if (type.isEnum() || type.isInterface() || Modifier.isAbstract(type.getModifiers())) {
      return null;
    }
    try {
      Constructor<?> constructor = type.getConstructor();
      Object object = constructor.newInstance();
      for (Field field : type.getDeclaredFields()) {
        if (depth > 0 && isModel(field.getType()) && !Modifier.isStatic(field.getModifiers())) {
          field.setAccessible(true);
          field.set(object, fresh(field.getType(), depth - 1));
        }
      }
      return object;
    } catch (NoSuchMethodException e) {
      return null; // a helper class
    } catch (ReflectiveOperationException e) {
      throw new LinkageError(type + " cannot be made", e);
    }
  }

  private static boolean isModel(Class<?> type) {
    return type.getPackageName().equals(MODELS) && !type.isEnum();
  }

  private static void find(Class<?> type, JsonElement json, String path, List<String> sent) {
    if (!(json instanceof JsonObject object)) {
      return;
    }
    for (Field field : type.getDeclaredFields()) {
      SerializedName named = field.getAnnotation(SerializedName.class);
      if (named == null || !object.has(named.value())) {
        continue;
      }
      String here = path + "." + named.value();
      if (Collection.class.isAssignableFrom(field.getType())
          || Map.class.isAssignableFrom(field.getType())) {
        sent.add(here + "=" + object.get(named.value()));
      } else if (isModel(field.getType())) {
        find(field.getType(), object.get(named.value()), here, sent);
      }
    }
  }
}
